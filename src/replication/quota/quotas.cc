// SPDX-License-Identifier: Apache-2.0
// Windows are begun and dropped where bytes are counted; who only asks leaves them alone.
#include "milena/replication/quotas.h"

#include <algorithm>

namespace milena::replication {

void WindowedRate::record(std::uint64_t bytes, env::Instant now) {
    while (!in_use_.empty() && !counts(in_use_.front(), now)) in_use_.pop_front();
    if (in_use_.empty() || now - in_use_.back().begin >= windows_.length) in_use_.push_back({now});
    in_use_.back().bytes += bytes;
}

double WindowedRate::per_second(env::Instant now) const {
    const auto oldest =
        std::ranges::find_if(in_use_, [&](const Window& window) { return counts(window, now); });
    if (oldest == in_use_.end()) return 0;
    std::uint64_t bytes = 0;
    for (auto window = oldest; window != in_use_.end(); ++window) bytes += window->bytes;
    const env::Duration since = std::max(now - oldest->begin, windows_.length);
    return static_cast<double>(bytes) / std::chrono::duration<double>(since).count();
}

void ReplicationQuota::set_limit(std::optional<std::int64_t> limit) {
    state_.with([&](State& state) { state.limit = limit; });
}

bool ReplicationQuota::is_limited() const {
    return state_.with([](const State& state) { return state.limit.has_value(); });
}

void ReplicationQuota::record(std::uint64_t bytes, env::Instant now) {
    if (bytes == 0) return;
    state_.with([&](State& state) { state.rate.record(bytes, now); });
}

bool ReplicationQuota::is_exceeded(env::Instant now) const {
    return state_.with([&](const State& state) {
        return state.limit && state.rate.per_second(now) > static_cast<double>(*state.limit);
    });
}

double ReplicationQuota::per_second(env::Instant now) const {
    return state_.with([&](const State& state) { return state.rate.per_second(now); });
}

}  // namespace milena::replication

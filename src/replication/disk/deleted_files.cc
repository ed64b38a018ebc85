// SPDX-License-Identifier: Apache-2.0
// A queue by time; removing is done outside its guard.
#include "disk/deleted_files.h"

namespace milena::replication {

void DeletedFiles::when_added(std::function<void()> tell) {
    state_.with([&](State& state) { state.tell = std::move(tell); });
}

void DeletedFiles::add(std::vector<std::string> paths, env::Duration delay) {
    if (paths.empty()) return;
    const env::Instant due = env_.clock().now() + delay;
    const auto tell = state_.with([&](State& state) {
        for (std::string& path : paths) state.waiting.emplace(due, std::move(path));
        return state.tell;
    });
    if (tell) tell();
}

env::Instant DeletedFiles::remove_due(std::size_t paths_max) {
    const env::Instant now = env_.clock().now();
    std::vector<std::string> due;
    state_.with([&](State& state) {
        auto at = state.waiting.begin();
        for (; at != state.waiting.end() && at->first <= now && due.size() < paths_max; ++at)
            due.push_back(std::move(at->second));
        state.waiting.erase(state.waiting.begin(), at);
    });
    for (const std::string& path : due) {
        if (const auto removed = env_.files().remove(path); !removed) {
            LOG_WARN(logger_, "a deleted file stays until the next start",
                     kv("why", removed.error().why));
        }
    }
    return state_.with([](const State& state) {
        return state.waiting.empty() ? env::kNever : state.waiting.begin()->first;
    });
}

}  // namespace milena::replication

// SPDX-License-Identifier: Apache-2.0
// The loop of one partition's coordinator: takes over, then does what is due.
#include <algorithm>

#include "group_load.h"
#include "hosted_groups.h"

namespace milena::drivers {
namespace {

/// News wake the one that waits to take over; that it looks again anyway is for the store, which
/// may have become usable without a word.
constexpr env::Duration kLookAgain = std::chrono::milliseconds(200);
/// What is due and decided without a pause.
constexpr int kTicksMax = 32;
constexpr env::Duration kRetryPause = std::chrono::seconds(1);

}  // namespace

void HostedGroups::start(std::shared_ptr<HostedGroups> before) {
    state_.with([&](State& state) { state.before = std::move(before); });
    place_.partition->listen(weak_from_this());
    host_.begin_one();
    env::spawn(place_.home, run());
}

env::Task<void> HostedGroups::run() {
    const auto self = shared_from_this();
    env::Wakeup work(host_.env, place_.home);
    state_.with([&](State& state) { state.wake = work.handle(); });
    if (co_await take_over(work)) co_await serve(work);
    state_.with([](State& state) { state.wake = nullptr; });
    host_.end_one();
}

bool HostedGroups::is_gone() const {
    return state_.with([](const State& state) { return state.phase == Phase::gone; });
}

bool HostedGroups::is_appending() const {
    std::shared_ptr<HostedGroups> before;
    const bool appends = state_.with([&](const State& state) {
        before = state.before;
        return state.is_appending;
    });
    return appends || (before != nullptr && before->is_appending());
}

env::Task<bool> HostedGroups::take_over(env::Wakeup& work) {
    const env::Instant begin = host_.env.clock().now();
    // A write of one who has lost the partition, and was given it again, may be on its way. This
    // one stays until it is there, also when it is to go itself: whoever comes next asks it.
    while (is_appending()) co_await work.wait_until(host_.env.clock().now() + kLookAgain);
    const auto before = state_.with([](State& s) { return std::exchange(s.before, nullptr); });
    const Offset end = place_.partition->log_end_offset();
    while (!is_gone()) {
        if (!may_load(end)) {
            co_await work.wait_until(host_.env.clock().now() + kLookAgain);
            continue;
        }
        const Result<void> loaded = co_await load(end);
        if (is_gone()) break;
        if (loaded) {
            const env::Instant now = host_.env.clock().now();
            const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(now - begin);
            host_.counters.load_ms.with([&](telemetry::RecentValues& values) {
                values.add(static_cast<double>(took.count()), now);
            });
            LOG_INFO(host_.log, "coordinates its groups",
                     kv("partition", place_.partition->name().text()), kv("ms", took.count()));
            co_return true;
        }
        host_.counters.failed_loads.add();
        LOG_ERROR(host_.log, "groups not loaded, and tried again",
                  kv("partition", place_.partition->name().text()), kv("why", loaded.error().why));
        const env::Instant retry = host_.env.clock().now() + kRetryPause;
        while (!is_gone() && host_.env.clock().now() < retry) co_await work.wait_until(retry);
    }
    co_return false;
}

/// The high watermark lags at a new leader: what it has not reached may have been answered for.
bool HostedGroups::may_load(Offset end) const {
    const auto applied = host_.options.applied(place_.space);
    if (!applied) return false;
    const auto figures = place_.partition->figures();
    // What has been cut off since is in that store: it will be made anew.
    if (*applied > place_.partition->log_end_offset()) return false;
    return figures.high_watermark >= end &&
           std::min(figures.last_stable, end) - *applied <= kTailMax;
}

env::Task<Result<void>> HostedGroups::load(Offset end) {
    std::unique_ptr<Groups> groups = host_.options.make_groups();
    Offset from;
    Result<ReadTail> read;
    co_await host_.loads.run(host_.env, place_.home, [&] {
        const auto applied = host_.options.applied(place_.space);
        if (!applied) {
            read = fail(ErrorCode::kafka_storage_error, "the state store is being made anew");
            return;
        }
        from = std::max(*applied, place_.partition->log_start_offset());
        read = load_groups({{host_.store, place_.space},
                            *place_.partition,
                            {from, end},
                            [this] { return is_gone(); }},
                           *groups, host_.log);
        const auto now_applied = host_.options.applied(place_.space);
        if (read && (!now_applied || *now_applied < *applied))
            read = fail(ErrorCode::kafka_storage_error, "the state store was made anew meanwhile");
    });
    CO_TRY_VOID(std::move(read));
    const env::Instant now = host_.env.clock().now();
    GroupStep step;
    const bool is_wanted = state_.with([&](State& state) {
        if (state.phase == Phase::gone) return false;
        state.phase = Phase::active;
        state.groups = std::move(groups);
        state.is_deciding = true;
        state.has_news = true;  // they have not heard of the high watermark
        state.end = std::max(from, end);
        state.stored = from;
        state.applied = std::max(state.applied, from);
        if (state.topics != nullptr) state.groups->follow(state.topics, {});
        step = noted(state, state.groups->loaded({now, host_.env.clock().wall().value}));
        tell_stored(state);
        return true;
    });
    if (is_wanted) co_await finish(place_.home, std::move(step), host_.counters.deleted_offsets);
    co_return ok();
}

env::Task<void> HostedGroups::serve(env::Wakeup& work) {
    while (const auto next = next_wake()) {
        co_await work.wait_until(*next);
        expire();
        co_await tick();
    }
}

std::optional<env::Instant> HostedGroups::next_wake() {
    return state_.with([](State& state) -> std::optional<env::Instant> {
        if (state.phase == Phase::gone) return std::nullopt;
        const env::Instant due = std::max(state.groups->deadline(), state.rests_until);
        state.wakes_at = std::min(due, state.expires_at);
        return state.wakes_at;
    });
}

env::Task<void> HostedGroups::tick() {
    const auto is_due = [this] {
        const env::Instant now = host_.env.clock().now();
        return state_.with([&](const State& state) {
            return state.phase == Phase::active && state.groups->deadline() <= now &&
                   state.rests_until <= now;
        });
    };
    // Between two rounds the thread has others to see to.
    for (int ticks = 0; ticks < kTicksMax && is_due(); ++ticks) {
        if (!co_await take_turn(place_.home, SIZE_MAX)) co_return;
        GroupStep step;
        state_.with([&](State& state) {
            if (state.phase == Phase::active) step = noted(state, state.groups->tick(time()));
        });
        co_await finish(place_.home, std::move(step), host_.counters.deleted_offsets);
    }
}

void HostedGroups::expire() {
    const env::Instant now = host_.env.clock().now();
    const bool is_due = state_.with([&](State& state) {
        if (state.expires_at > now) return false;
        state.expires_at = env::kNever;
        return true;
    });
    if (!is_due) return;
    const env::Instant next = place_.partition->expire(now);
    state_.with([&](State& state) { state.expires_at = std::min(state.expires_at, next); });
}

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// One line for each event: the same phrase and fields for groups of both protocols.
#include "group_events.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace milena::drivers {
namespace {

using coordinator::GroupMemberName;
using coordinator::RebalanceCause;

/// No line names more.
constexpr std::size_t kNamedMax = 5;

/// Lines of one kind: admits as many as its limit does, with how many it has kept back since.
class Lines {
public:
    Lines(Host& host, env::Guarded<LogLimit>& limit) : host_(host), limit_(limit) {}

    template <class... Fields>
    void write(LogLevel level, std::string_view phrase, Fields&&... fields) {
        if (!host_.log.enabled(level)) return;
        std::uint64_t suppressed = 0;
        const auto now = host_.env.clock().now().time_since_epoch();
        if (!limit_.with([&](LogLimit& limit) { return limit.admit(now, suppressed); })) return;
        if (suppressed == 0) {
            host_.log.write(level, phrase, std::forward<Fields>(fields)...);
        } else {
            host_.log.write(level, phrase, std::forward<Fields>(fields)...,
                            kv("suppressed", suppressed));
        }
    }

private:
    Host& host_;
    env::Guarded<LogLimit>& limit_;
};

std::string_view brief(std::string_view group) {
    constexpr std::size_t kBytesMax = 255;
    return group.substr(0, kBytesMax);
}

std::string called(const GroupMemberName& member) {
    return member.instance_id.empty() ? member.member_id : member.instance_id;
}

std::string seconds(std::int64_t ms) {
    return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

class Telling {
public:
    explicit Telling(Host& host) : host_(host) {}

    void operator()(const coordinator::RebalanceBegan& event) {
        const auto& causes = coordinator::kRebalanceCauses;
        const auto place = std::ranges::find(causes, event.reason.cause);
        host_.counters.rebalances[static_cast<std::size_t>(place - causes.begin())].add();
        const GroupMemberName& by = event.reason.member;
        Lines lines(host_, host_.lines.rebalances);
        const auto cause = name_of(event.reason.cause);
        if (by.member_id.empty()) {
            lines.write(LogLevel::info, "rebalance began", kv("group", brief(event.group)),
                        kv("generation", event.generation), kv("cause", cause));
        } else {
            lines.write(LogLevel::info, "rebalance began", kv("group", brief(event.group)),
                        kv("generation", event.generation), kv("cause", cause),
                        kv("member", called(by)), kv("client", by.client_id),
                        kv("host", by.client_host), kv("said", event.reason.said));
        }
    }

    void operator()(const coordinator::RebalanceCompleted& event) {
        Lines lines(host_, host_.lines.rebalances);
        constexpr std::string_view kPhrase = "rebalance completed";
        if (event.slowest.member_id.empty() || event.slowest_ms == 0) {
            lines.write(LogLevel::info, kPhrase, kv("group", brief(event.group)),
                        kv("generation", event.generation), kv("members", event.members),
                        kv("seconds", seconds(event.took_ms)), kv("rounds", event.rounds));
        } else {
            lines.write(LogLevel::info, kPhrase, kv("group", brief(event.group)),
                        kv("generation", event.generation), kv("members", event.members),
                        kv("seconds", seconds(event.took_ms)), kv("rounds", event.rounds),
                        kv("slowest", called(event.slowest)),
                        kv("slowest_host", event.slowest.client_host),
                        kv("slowest_seconds", seconds(event.slowest_ms)));
        }
    }

    void operator()(const coordinator::RebalanceWaits& event) {
        std::vector<std::string> names;
        for (const auto& one : event.awaited.named) {
            if (names.size() == kNamedMax) break;
            names.push_back(fmt::format("{} at {} to {}", called(one.member),
                                        one.member.client_host, name_of(one.step)));
        }
        Lines lines(host_, host_.lines.slow_members);
        lines.write(LogLevel::warn, "rebalance waits for members", kv("group", brief(event.group)),
                    kv("seconds", seconds(event.waited_ms)), kv("awaited", event.awaited.count),
                    kv("members", fmt::format("{}", fmt::join(names, ", "))));
    }

    void operator()(const coordinator::MemberRemoved& event) {
        const bool was_silent = event.cause == RebalanceCause::session_timeout;
        (was_silent ? host_.counters.silent_members : host_.counters.slow_members).add();
        Lines lines(host_, host_.lines.slow_members);
        lines.write(LogLevel::warn, "member removed", kv("group", brief(event.group)),
                    kv("member", called(event.member)), kv("client", event.member.client_id),
                    kv("host", event.member.client_host), kv("cause", name_of(event.cause)),
                    kv("missed", name_of(event.step)), kv("timeout_ms", event.timeout_ms));
    }

    void operator()(const coordinator::OffsetsExpired& event) {
        if (event.is_group_removed) host_.counters.expired_groups.add();
        Lines lines(host_, host_.lines.expirations);
        lines.write(LogLevel::info, "offsets expired", kv("group", brief(event.group)),
                    kv("offsets", event.offsets), kv("group_removed", event.is_group_removed));
    }

private:
    Host& host_;
};

}  // namespace

void tell(Host& host, std::span<const coordinator::GroupEvent> events) {
    for (const auto& event : events) std::visit(Telling(host), event);
}

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// What operators are told, as lines of a script.
#include <fmt/format.h>

#include "script_text.h"

namespace milena::coordinator::test {
namespace {

template <class... Cases>
struct Each : Cases... {
    using Cases::operator()...;
};

std::string called(const GroupMemberName& member, const NameOf& name_of) {
    if (member.member_id.empty()) return "nobody";
    std::string out = name_of(member.member_id);
    if (!member.instance_id.empty()) out += fmt::format("({})", member.instance_id);
    return out;
}

std::string text_of(const RebalanceReason& reason, const NameOf& name) {
    std::string out = fmt::format("{} by {}", name_of(reason.cause), called(reason.member, name));
    if (!reason.said.empty()) out += fmt::format(" said={}", reason.said);
    return out;
}

std::string text_of(const AwaitedMembers& awaited, const NameOf& name) {
    std::string out;
    for (const AwaitedMember& one : awaited.named) {
        out += fmt::format(" {}:{}", called(one.member, name), name_of(one.step));
        if (one.removed_in_ms >= 0) out += fmt::format("<{}ms", one.removed_in_ms);
    }
    return out;
}

}  // namespace

std::string event_text(const GroupEvent& event, const NameOf& name) {
    return std::visit(Each{[&](const RebalanceBegan& e) {
                               return fmt::format("event: {} begins generation={} {}", e.group,
                                                  e.generation, text_of(e.reason, name));
                           },
                           [&](const RebalanceCompleted& e) {
                               return fmt::format(
                                   "event: {} is settled generation={} members={} took={}ms "
                                   "rounds={} slowest={} {}ms",
                                   e.group, e.generation, e.members, e.took_ms, e.rounds,
                                   called(e.slowest, name), e.slowest_ms);
                           },
                           [&](const RebalanceWaits& e) {
                               return fmt::format("event: {} waits for {}ms{}", e.group,
                                                  e.waited_ms, text_of(e.awaited, name));
                           },
                           [&](const MemberRemoved& e) {
                               return fmt::format("event: {} loses {} {} missed={} within {}ms",
                                                  e.group, called(e.member, name), name_of(e.cause),
                                                  name_of(e.step), e.timeout_ms);
                           },
                           [](const OffsetsExpired& e) {
                               return fmt::format(
                                   "event: {} offsets of {} have expired{}", e.offsets, e.group,
                                   e.is_group_removed ? ", and the group is gone" : "");
                           }},
                      event);
}

std::string facts_text(const GroupFacts& facts, const NameOf& name) {
    std::string out = fmt::format(" since={}ms{}", facts.state_age_ms,
                                  facts.is_since_take_over ? " or longer" : "");
    if (facts.rebalance) {
        out += fmt::format(" began={}ms ago rounds={} took={}ms {}", facts.rebalance->began_ago_ms,
                           facts.rebalance->rounds, facts.rebalance->took_ms,
                           text_of(facts.rebalance->reason, name));
    }
    if (facts.awaited.count > 0) out += " awaits" + text_of(facts.awaited, name);
    for (const ExpiringOffsets& one : facts.expiring) {
        out += fmt::format(" {}x{} goes in {}..{}ms", one.topic, one.partitions, one.first_in_ms,
                           one.last_in_ms);
    }
    return out;
}

}  // namespace milena::coordinator::test

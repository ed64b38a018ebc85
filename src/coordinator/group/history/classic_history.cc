// SPDX-License-Identifier: Apache-2.0
// A classic group waits for members to join, then for its leader to assign; the slowest is who made
// one of these two waits longest.
#include "classic_history.h"

#include <algorithm>

namespace milena::coordinator {
namespace {

bool is_rebalancing(const ClassicGroup& group) {
    return group.rebalance != nullptr && !group.rebalance->is_over;
}

void set_notice_timer(Decision& decision, ClassicGroup& group, env::Instant when) {
    group.notice_timer.set(decision.table.due, when,
                           {.kind = Due::Kind::notice, .group = group.name});
}

void note_slow(ClassicGroup& group, const Member& member, std::int64_t waited_ms) {
    if (waited_ms >= group.slowest.waited_ms) group.slowest = {member.id, waited_ms};
}

std::int64_t left_ms(const Timer& timer, env::Instant now) {
    const auto when = timer.when();
    return when ? whole_ms(*when - now) : -1;
}

/// Static members keep their places, and may come as long as their sessions last.
AwaitedMembers not_joined(const ClassicGroup& group, env::Instant now) {
    AwaitedMembers out;
    for (const auto& [id, member] : group.members()) {
        if (member.joining) continue;
        const Timer& end = member.instance_id ? member.session : group.join_timer;
        out.add({.member = name_of(member),
                 .step = AwaitedStep::join,
                 .removed_in_ms = left_ms(end, now)});
    }
    for (const auto& [id, timer] : group.pending) {
        out.add({.member = {.member_id = id, .instance_id = {}, .client_id = {}, .client_host = {}},
                 .step = AwaitedStep::come_with_id,
                 .removed_in_ms = left_ms(timer, now)});
    }
    return out;
}

/// While its leader has not assigned, what the others have to do holds nobody up.
AwaitedMembers not_assigned(const ClassicGroup& group, env::Instant now) {
    AwaitedMembers out;
    const Member* const leader = group.leader ? group.find(*group.leader) : nullptr;
    if (leader == nullptr || leader->syncing) return out;
    out.add({.member = name_of(*leader),
             .step = AwaitedStep::assign,
             .removed_in_ms = left_ms(group.sync_timer, now)});
    return out;
}

}  // namespace

void note_begun(Decision& decision, ClassicGroup& group, RebalanceReason why) {
    decision.tell(
        RebalanceBegan{.group = group.name, .generation = group.generation + 1, .reason = why});
    group.rebalance = begun(group.rebalance, std::move(why), decision.now());
    group.slowest = {};
    if (!group.notice_timer.is_set())
        set_notice_timer(decision, group, decision.now() + kNoticeAfter);
}

void note_ended(Decision& decision, ClassicGroup& group) {
    if (!is_rebalancing(group)) return;
    const Member* const slowest = group.find(group.slowest.member_id);
    group.rebalance =
        ended(*group.rebalance, decision.now(),
              slowest == nullptr ? GroupMemberName() : name_of(*slowest), group.slowest.waited_ms);
    group.slowest = {};
    group.notice_timer.cancel();
    const RebalanceHistory& over = *group.rebalance;
    decision.tell(RebalanceCompleted{.group = group.name,
                                     .generation = group.generation,
                                     .members = group.members().size(),
                                     .took_ms = whole_ms(over.ended - over.began),
                                     .rounds = over.rounds,
                                     .slowest = over.slowest,
                                     .slowest_ms = over.slowest_ms});
}

void note_joined(const Decision& decision, ClassicGroup& group, const Member& member) {
    if (!group.is(GroupState::preparing_rebalance) || !is_rebalancing(group)) return;
    note_slow(group, member, whole_ms(decision.now() - group.rebalance->round_began));
}

void note_assigned(const Decision& decision, ClassicGroup& group, const Member& leader) {
    if (!is_rebalancing(group)) return;
    note_slow(group, leader, std::max<std::int64_t>(decision.wall_ms() - group.state_since(), 0));
}

void note_removed(Decision& decision, const ClassicGroup& group, std::string_view member_id,
                  Removal why) {
    const Member* const member = group.find(member_id);
    if (member == nullptr) return;
    AwaitedStep step = AwaitedStep::heartbeat;
    if (why.cause == RebalanceCause::rebalance_timeout) {
        const bool is_to_assign = group.is(GroupState::completing_rebalance) &&
                                  group.is_leader(member->id) && !member->syncing;
        step = is_to_assign ? AwaitedStep::assign : AwaitedStep::sync;
        if (group.is(GroupState::preparing_rebalance)) step = AwaitedStep::join;
    }
    decision.tell(MemberRemoved{.group = group.name,
                                .member = name_of(*member),
                                .cause = why.cause,
                                .step = step,
                                .timeout_ms = why.timeout_ms});
}

void notice_is_due(Decision& decision, ClassicGroup& group) {
    if (!is_rebalancing(group)) return;
    const env::Duration waited = decision.now() - group.rebalance->began;
    if (waited < kNoticeAfter)
        return set_notice_timer(decision, group, group.rebalance->began + kNoticeAfter);
    AwaitedMembers those = awaited(group, decision.now());
    if (those.count > 0) {
        decision.tell(RebalanceWaits{
            .group = group.name, .waited_ms = whole_ms(waited), .awaited = std::move(those)});
    }
    set_notice_timer(decision, group, decision.now() + waited);
}

AwaitedMembers awaited(const ClassicGroup& group, env::Instant now) {
    if (group.is(GroupState::preparing_rebalance)) return not_joined(group, now);
    if (group.is(GroupState::completing_rebalance)) return not_assigned(group, now);
    return {};
}

}  // namespace milena::coordinator

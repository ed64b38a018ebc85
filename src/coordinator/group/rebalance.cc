// SPDX-License-Identifier: Apache-2.0
// The phases of a rebalance. What ends one of them is in rebalance_timeouts.cc where it is a timer.
#include "rebalance.h"

#include <algorithm>
#include <utility>

#include "classic/group_records.h"
#include "history/classic_history.h"
#include "milena/base/invariant.h"

namespace milena::coordinator {
namespace {

constexpr std::int32_t kLookAgainMs = 1000;

void await_joins(Decision& decision, ClassicGroup& group, std::int32_t timeout_ms) {
    group.join_deadline = decision.in_ms(timeout_ms);
    look_at_joins(decision, group, group.join_deadline);
}

/// No longer than what silent members and short sessions leave of it.
env::Duration longest_delay(const Decision& decision, const ClassicGroup& group) {
    std::int32_t longest_ms = decision.table.options.group_rebalance_damping_ms;
    for (const auto& [id, member] : group.members())
        longest_ms = std::min(longest_ms, member.session_timeout_ms / 2);
    return std::chrono::milliseconds(std::max(longest_ms, 0));
}

/// All have joined. Where rebalances follow one another closely others are waited for a little, so
/// that one rebalance is enough for several that come.
void complete_or_put_off(Decision& decision, ClassicGroup& group) {
    const bool is_damped = !group.first_rebalance && !group.members().empty();
    const env::Instant earliest =
        is_damped ? std::min(group.churn.next_generation_at(longest_delay(decision, group)),
                             group.join_deadline)
                  : decision.now();
    if (decision.now() >= earliest) {
        complete_join(decision, group);
    } else {
        look_at_joins(decision, group, earliest);
    }
}

/// Static members keep their places as long as their sessions last.
void drop_who_did_not_join(Decision& decision, ClassicGroup& group) {
    std::vector<std::string> gone;
    for (const auto& [id, member] : group.members()) {
        if (!member.joining && !member.instance_id) gone.push_back(id);
    }
    const std::int32_t timeout_ms = group.rebalance_timeout_ms();
    for (const std::string& id : gone) {
        note_removed(decision, group, id, {RebalanceCause::rebalance_timeout, timeout_ms});
        drop(decision, group, id);
    }
}

void begin_generation(Decision& decision, ClassicGroup& group) {
    ++group.generation;
    group.first_rebalance.reset();
    group.waits_for_ids = false;
    group.churn.generation_begins(decision.now());
    for (auto& [id, member] : group.members()) member.has_to_sync = false;
    if (group.members().empty()) {
        group.protocol_name.reset();
        group.become(GroupState::empty, decision.wall_ms());
        note_ended(decision, group);
    } else {
        group.protocol_name = group.vote();
        group.become(GroupState::completing_rebalance, decision.wall_ms());
    }
    group.learn_subscriptions();
}

void tell_joined(Decision& decision, ClassicGroup& group) {
    for (auto& [id, member] : group.members()) {
        if (member.joining) {
            decision.answer(*std::exchange(member.joining, std::nullopt),
                            joined_reply(group, member, group.is_leader(id)));
        }
        extend_session(decision, group, member);
        member.is_new = false;
        member.has_to_sync = true;
    }
    group.sync_timer.set(decision.table.due, decision.in_ms(group.rebalance_timeout_ms()),
                         {.kind = Due::Kind::sync, .group = group.name});
}

/// Whoever waits for its assignment is answered; its session, which may have ended while it waited,
/// begins anew.
void answer_syncs(Decision& decision, ClassicGroup& group, ErrorCode code) {
    for (auto& [id, member] : group.members()) {
        if (!member.syncing) continue;
        decision.answer(*std::exchange(member.syncing, std::nullopt),
                        code == ErrorCode::none ? synced_reply(group, member) : refused_sync(code));
        extend_session(decision, group, member);
    }
}

}  // namespace

void extend_session(Decision& decision, const ClassicGroup& group, Member& member,
                    std::int32_t timeout_ms) {
    const env::Instant end = decision.in_ms(timeout_ms);
    if (member.session.is_set()) {
        member.session.move(end);
    } else {
        member.session.set(
            decision.table.due, end,
            {.kind = Due::Kind::session, .group = group.name, .member_id = member.id});
    }
}

void extend_session(Decision& decision, const ClassicGroup& group, Member& member) {
    extend_session(decision, group, member, member.session_timeout_ms);
}

void look_at_joins(Decision& decision, ClassicGroup& group, env::Instant when) {
    group.join_timer.set(decision.table.due, when, {.kind = Due::Kind::join, .group = group.name});
}

void rebalance_or_complete(Decision& decision, ClassicGroup& group, RebalanceReason why) {
    if (group.can_rebalance()) {
        begin_rebalance(decision, group, std::move(why));
    } else {
        complete_if_all_joined(decision, group);
    }
}

void begin_rebalance(Decision& decision, ClassicGroup& group, RebalanceReason why) {
    if (group.is(GroupState::completing_rebalance))
        withdraw_assignments(decision, group, ErrorCode::rebalance_in_progress);
    group.sync_timer.cancel();
    for (auto& [id, member] : group.members()) member.has_to_sync = false;

    const bool is_first = group.is(GroupState::empty);
    group.become(GroupState::preparing_rebalance, decision.wall_ms());
    note_begun(decision, group, std::move(why));
    group.churn.rebalance_begins(decision.now());
    if (is_first) {
        // Members of a new group start together: the first one waits for the others.
        const std::int32_t delay_ms = decision.table.options.group_initial_rebalance_delay_ms;
        group.first_rebalance = {
            .delay_ms = delay_ms,
            .remaining_ms = std::max(group.rebalance_timeout_ms() - delay_ms, 0)};
        await_joins(decision, group, delay_ms);
    } else {
        await_joins(decision, group, group.rebalance_timeout_ms());
        complete_without(decision, group);
    }
}

void complete_if_all_joined(Decision& decision, ClassicGroup& group) {
    if (group.previous_state() != GroupState::empty) complete_without(decision, group);
}

void complete_without(Decision& decision, ClassicGroup& group) {
    if (group.is(GroupState::preparing_rebalance) && group.all_have_joined())
        complete_or_put_off(decision, group);
}

void complete_join(Decision& decision, ClassicGroup& group) {
    INVARIANT(group.is(GroupState::preparing_rebalance), "nobody waits for members");
    group.join_timer.cancel();
    drop_who_did_not_join(decision, group);
    if (!group.elect_joined_leader() && !group.members().empty()) {
        // Static members only, and none came: their sessions decide. That may take long, also where
        // they gave a rebalance no time at all.
        group.is_assignment_too_large = false;
        await_joins(decision, group, std::max(group.rebalance_timeout_ms(), kLookAgainMs));
        return;
    }
    begin_generation(decision, group);
    if (group.is(GroupState::empty)) {
        decision.write(group_record(group));
    } else {
        tell_joined(decision, group);
    }
}

JoinReply joined_reply(const ClassicGroup& group, const Member& member, bool with_members) {
    JoinReply reply;
    reply.generation = group.generation;
    reply.protocol_type = group.protocol_type;
    reply.protocol_name = group.protocol_name;
    reply.leader = group.leader.value_or("");
    reply.member_id = member.id;
    if (!with_members) return reply;
    for (const auto& [id, other] : group.members()) {
        const Bytes* const metadata = other.metadata(*group.protocol_name);
        INVARIANT(metadata != nullptr, "a member does not know the protocol that was chosen");
        reply.members.push_back({id, other.instance_id, *metadata});
    }
    return reply;
}

void hand_out(Decision& decision, ClassicGroup& group,
              std::vector<SyncRequest::Assignment> assignments) {
    INVARIANT(group.is(GroupState::completing_rebalance), "nobody waits for assignments");
    for (auto& [id, member] : group.members()) {
        const auto found =
            std::ranges::lower_bound(assignments, id, {}, &SyncRequest::Assignment::member_id);
        const bool is_found = found != assignments.end() && found->member_id == id;
        member.assignment = is_found ? std::move(found->assignment) : Bytes();
    }
    answer_syncs(decision, group, ErrorCode::none);
    group.become(GroupState::stable, decision.wall_ms());
    ++decision.table.rebalances;
    note_ended(decision, group);
}

void withdraw_assignments(Decision& decision, ClassicGroup& group, ErrorCode code) {
    INVARIANT(group.is(GroupState::completing_rebalance), "nobody waits for assignments");
    for (auto& [id, member] : group.members()) member.assignment.clear();
    answer_syncs(decision, group, code);
}

SyncReply synced_reply(const ClassicGroup& group, const Member& member) {
    SyncReply reply;
    reply.protocol_type = group.protocol_type;
    reply.protocol_name = group.protocol_name;
    reply.assignment = member.assignment;
    return reply;
}

SyncReply refused_sync(ErrorCode code) {
    SyncReply reply;
    reply.code = code;
    return reply;
}

void note_synced(ClassicGroup& group, Member& member) {
    member.has_to_sync = false;
    const bool is_awaited = std::ranges::any_of(
        group.members(), [](const auto& other) { return other.second.has_to_sync; });
    if (!is_awaited) group.sync_timer.cancel();
}

void tell_waiting(Decision& decision, Member& member, ErrorCode join_code, ErrorCode sync_code) {
    if (member.joining) {
        JoinReply reply;
        reply.code = join_code;
        if (join_code == ErrorCode::fenced_instance_id) reply.member_id = member.id;
        decision.answer(*std::exchange(member.joining, std::nullopt), std::move(reply));
    }
    if (member.syncing) {
        decision.answer(*std::exchange(member.syncing, std::nullopt), refused_sync(sync_code));
    }
}

void drop(Decision& decision, ClassicGroup& group, std::string_view member_id) {
    if (Member* const member = group.find(member_id)) {
        tell_waiting(decision, *member, ErrorCode::unknown_member_id, ErrorCode::unknown_member_id);
        group.churn.member_left(*member, decision.now());
    }
    group.remove(member_id);
    group.is_assignment_too_large = false;
}

}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// That a rebalance is over is seen from the group's state, whatever has brought it there; the
// slowest is the member that moved last.
#include "consumer_history.h"

namespace milena::coordinator {
namespace {

bool is_rebalancing(const ConsumerGroup& group) {
    return group.history.rebalance != nullptr && !group.history.rebalance->is_over;
}

void set_notice_timer(Decision& decision, ConsumerGroup& group, env::Instant when) {
    group.notice_timer.set(decision.table.due, when,
                           {.kind = Due::Kind::consumer_notice, .group = group.name});
}

void note_ended(Decision& decision, ConsumerGroup& group) {
    const std::string* const moved = decision.table.consumers.moved_last(group.name);
    const ConsumerMember* const member = moved == nullptr ? nullptr : group.find(*moved);
    const RebalanceHistory& before = *group.history.rebalance;
    group.history.rebalance =
        ended(before, decision.now(),
              member == nullptr ? GroupMemberName() : name_of(*moved, *member->metadata),
              whole_ms(decision.now() - before.round_began));
    const RebalanceHistory& over = *group.history.rebalance;
    decision.tell(RebalanceCompleted{.group = group.name,
                                     .generation = group.epoch(),
                                     .members = group.member_count(),
                                     .took_ms = whole_ms(over.ended - over.began),
                                     .rounds = over.rounds,
                                     .slowest = over.slowest,
                                     .slowest_ms = over.slowest_ms});
}

struct Waiting {
    AwaitedStep step;
    Timer MemberTimers::* until;
};

/// Nothing of one that waits itself.
std::optional<Waiting> waiting_of(const Table& table, const ConsumerGroup& group,
                                  const std::string& id, const ConsumerMember& member) {
    const auto is_set = [&](Timer MemberTimers::* which) {
        return table.consumers.is_set(which, group.name, id);
    };
    if (member.epoch() == kAwayEpoch)
        return Waiting{AwaitedStep::come_back, &MemberTimers::session};
    if (is_set(&MemberTimers::join)) return Waiting{AwaitedStep::join, &MemberTimers::join};
    if (is_set(&MemberTimers::sync)) return Waiting{AwaitedStep::sync, &MemberTimers::sync};
    if (member.current && member.current->state == MemberState::unrevoked)
        return Waiting{AwaitedStep::revoke, &MemberTimers::rebalance};
    if (member.epoch() < group.assignment_epoch())
        return Waiting{AwaitedStep::heartbeat, &MemberTimers::session};
    return std::nullopt;
}

AwaitedStep missed_step(Due::Kind kind) {
    switch (kind) {
        case Due::Kind::consumer_rebalance: return AwaitedStep::revoke;
        case Due::Kind::consumer_join: return AwaitedStep::join;
        case Due::Kind::consumer_sync: return AwaitedStep::sync;
        default: return AwaitedStep::heartbeat;
    }
}

}  // namespace

void note_begun(Decision& decision, ConsumerGroup& group, RebalanceReason why) {
    decision.tell(RebalanceBegan{.group = group.name, .generation = group.epoch(), .reason = why});
    decision.table.consumers.remember(group);
    group.history.rebalance = begun(group.history.rebalance, std::move(why), decision.now());
    if (!group.notice_timer.is_set())
        set_notice_timer(decision, group, decision.now() + kNoticeAfter);
}

void note_states(Decision& decision) {
    ConsumerTable& consumers = decision.table.consumers;
    for (const std::string& name : consumers.touched()) {
        ConsumerGroup* const group = consumers.find(name);
        // One that goes is not settled by that.
        if (group == nullptr || group->has_no_records()) continue;
        const std::string_view state = group->state();
        const bool is_over = is_rebalancing(*group) && (state == "Stable" || state == "Empty");
        if (state == group->history.state && !is_over) continue;
        consumers.remember(*group);
        if (is_over) note_ended(decision, *group);
        if (state == group->history.state) continue;
        group->history.state = state;
        group->history.since = decision.now();
        group->history.has_seen_begin = true;
    }
}

void begin_history(const Decision& decision, ConsumerGroup& group) {
    group.history = {.state = group.state(), .since = decision.now()};
}

void note_removed(Decision& decision, const ConsumerGroup& group, const Due& due) {
    const MemberMetadata& member = *group.find(due.member_id)->metadata;
    const bool was_silent = due.kind == Due::Kind::consumer_session;
    std::int32_t timeout_ms = member.rebalance_timeout_ms;
    if (was_silent) {
        const Table& table = decision.table;
        timeout_ms = member.classic ? member.classic->session_timeout_ms
                                    : table.consumers.topics()
                                          .settings(group.name, table.options.consumer.settings)
                                          .session_timeout_ms;
    }
    decision.tell(MemberRemoved{
        .group = group.name,
        .member = name_of(due.member_id, member),
        .cause = was_silent ? RebalanceCause::session_timeout : RebalanceCause::rebalance_timeout,
        .step = missed_step(due.kind),
        .timeout_ms = timeout_ms});
}

void notice_is_due(Decision& decision, ConsumerGroup& group) {
    group.notice_timer.cancel();
    if (!is_rebalancing(group)) return;
    const env::Instant began = group.history.rebalance->began;
    const env::Duration waited = decision.now() - began;
    if (waited < kNoticeAfter) return set_notice_timer(decision, group, began + kNoticeAfter);
    AwaitedMembers those = awaited(decision.table, group, decision.now());
    if (those.count > 0) {
        decision.tell(RebalanceWaits{
            .group = group.name, .waited_ms = whole_ms(waited), .awaited = std::move(those)});
    }
    set_notice_timer(decision, group, decision.now() + waited);
}

AwaitedMembers awaited(const Table& table, const ConsumerGroup& group, env::Instant now) {
    AwaitedMembers out;
    if (group.state() != "Reconciling") return out;
    for (const auto& [id, member] : group.members()) {
        if (!member.metadata || group.is_settled(member)) continue;
        const auto waiting = waiting_of(table, group, id, member);
        if (!waiting) continue;
        const auto end = table.consumers.when(waiting->until, group.name, id);
        out.add({.member = name_of(id, *member.metadata),
                 .step = waiting->step,
                 .removed_in_ms = end ? whole_ms(*end - now) : -1});
    }
    return out;
}

}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// What ends a wait when nobody comes: sessions, and the times that a rebalance gives its members.
#include <algorithm>
#include <utility>
#include <vector>

#include "consumer/membership.h"
#include "history/classic_history.h"
#include "milena/base/invariant.h"
#include "rebalance.h"

namespace milena::coordinator {
namespace {

/// Who has asked for an id comes with it at once, or has died.
constexpr std::int32_t kIdWaitMs = 500;

void session_is_over(Decision& decision, ClassicGroup& group, const std::string& member_id) {
    if (group.pending.contains(member_id)) {
        group.remove(member_id);
        complete_without(decision, group);
        return;
    }
    const Member* const member = group.find(member_id);
    // One that waits for us can't send heartbeats; when it is answered its session begins anew.
    if (member == nullptr || member->is_waiting()) return;
    const std::int32_t silent_ms =
        member->is_new ? kNewMemberJoinTimeoutMs : member->session_timeout_ms;
    RebalanceReason why{.cause = RebalanceCause::session_timeout, .member = name_of(*member)};
    note_removed(decision, group, member_id, {RebalanceCause::session_timeout, silent_ms});
    drop(decision, group, member_id);
    if (group.is(GroupState::stable) || group.is(GroupState::completing_rebalance)) {
        rebalance_or_complete(decision, group, std::move(why));
    } else {
        complete_without(decision, group);
    }
}

void join_time_is_over(Decision& decision, ClassicGroup& group) {
    auto& first = group.first_rebalance;
    // It was put off for others to come, and one has asked for its id and has not come with it yet.
    if (!first && decision.now() < group.join_deadline && !group.all_have_joined()) {
        const bool lacks_a_member = group.joined_count() != group.members().size();
        if (lacks_a_member || !std::exchange(group.waits_for_ids, true)) {
            const env::Instant soon = decision.in_ms(kIdWaitMs);
            look_at_joins(
                decision, group,
                lacks_a_member ? group.join_deadline : std::min(soon, group.join_deadline));
            return;
        }
    }
    if (!first || !first->somebody_came || first->remaining_ms == 0) {
        complete_join(decision, group);
        return;
    }
    // As long as members come, and no longer than a rebalance may take, others are waited for.
    first->somebody_came = false;
    const std::int32_t next_ms =
        std::min(decision.table.options.group_initial_rebalance_delay_ms, first->remaining_ms);
    first->remaining_ms = std::max(first->remaining_ms - first->delay_ms, 0);
    first->delay_ms = next_ms;
    look_at_joins(decision, group, decision.in_ms(next_ms));
}

void sync_time_is_over(Decision& decision, ClassicGroup& group) {
    std::vector<std::string> gone;
    for (const auto& [id, member] : group.members()) {
        if (member.has_to_sync) gone.push_back(id);
    }
    if (gone.empty()) return;
    RebalanceReason why{.cause = RebalanceCause::rebalance_timeout,
                        .member = name_of(*group.find(gone.front()))};
    const std::int32_t timeout_ms = group.rebalance_timeout_ms();
    for (const std::string& id : gone)
        note_removed(decision, group, id, {RebalanceCause::rebalance_timeout, timeout_ms});
    for (const std::string& id : gone) drop(decision, group, id);
    begin_rebalance(decision, group, std::move(why));
}

/// The timer that has come is not set any more, so that it may be set again.
void forget_timer(ClassicGroup& group, const Due& due) {
    switch (due.kind) {
        case Due::Kind::join: group.join_timer.cancel(); return;
        case Due::Kind::sync: group.sync_timer.cancel(); return;
        case Due::Kind::notice: group.notice_timer.cancel(); return;
        default: break;
    }
    if (Member* const member = group.find(due.member_id)) member->session.cancel();
}

}  // namespace

void on_due(Decision& decision, const Due& due) {
    if (is_of_consumer_group(due.kind)) return on_consumer_due(decision, due);
    ClassicGroup* const group = decision.table.find(due.group);
    INVARIANT(group != nullptr, "a timer of a group that is gone");
    forget_timer(*group, due);
    switch (due.kind) {
        case Due::Kind::session: return session_is_over(decision, *group, due.member_id);
        case Due::Kind::join: return join_time_is_over(decision, *group);
        case Due::Kind::sync: return sync_time_is_over(decision, *group);
        case Due::Kind::notice: return notice_is_due(decision, *group);
        default: return;
    }
}

}  // namespace milena::coordinator

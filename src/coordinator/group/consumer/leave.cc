// SPDX-License-Identifier: Apache-2.0
// Members that go: by their own word, or because they were silent or kept what they were to give
// up.
#include <fmt/format.h>

#include "../decision.h"
#include "../history/consumer_history.h"
#include "heartbeat.h"
#include "membership.h"
#include "metadata_hash.h"
#include "migration/migration.h"

namespace milena::coordinator {
namespace {

/// Its instance comes back soon: what it has stays its own until its session ends. Commits of the
/// process that is gone don't count any more.
void send_away(Decision& decision, ConsumerGroup& group, const std::string& member_id) {
    MemberCurrent current = group.find(member_id)->current.value_or(MemberCurrent());
    current.epoch = kAwayEpoch;
    current.state = MemberState::stable;
    current.revoking.clear();
    for (OwnedPartition& one : current.assigned) one.since_epoch = 0;
    decision.table.consumers.cancel(&MemberTimers::rebalance, group.name, member_id);
    decision.change(group, CurrentChange{member_id, std::move(current)});
}

GroupMemberName name_in(const ConsumerGroup& group, const std::string& member_id) {
    return name_of(member_id, *group.find(member_id)->metadata);
}

void remove(Decision& decision, ConsumerGroup& group, const std::string& member_id) {
    decision.change(group, CurrentChange{member_id, std::nullopt});
    decision.change(group, TargetChange{member_id, nullptr});
    decision.change(group, MetadataChange{member_id, std::nullopt});
    decision.table.consumers.cancel_all(group.name, member_id);
}

}  // namespace

Result<ConsumerHeartbeatReply> leave_by_epoch(Decision& decision,
                                              const ConsumerHeartbeatRequest& request) {
    ConsumerGroup* const group = decision.table.find_consumer(request.group);
    if (group == nullptr) {
        return fail(ErrorCode::group_id_not_found,
                    fmt::format("Group {} not found.", request.group));
    }
    TRY_VOID(find_member(*group, {request.member_id, request.instance_id}));
    if (request.member_epoch == kAwayEpoch) {
        send_away(decision, *group, request.member_id);
    } else {
        remove_members(
            decision, *group, {request.member_id},
            {.cause = RebalanceCause::member_left, .member = name_in(*group, request.member_id)});
    }
    ConsumerHeartbeatReply reply;
    reply.member_id = request.member_id;
    reply.member_epoch = request.member_epoch;
    return reply;
}

void remove_members(Decision& decision, ConsumerGroup& group,
                    const std::vector<std::string>& member_ids, RebalanceReason why) {
    if (member_ids.empty()) return;
    if (may_downgrade(decision.table, group, member_ids))
        return downgrade(decision, group, member_ids);
    for (const std::string& id : member_ids) remove(decision, group, id);
    drop_unused_regexes(decision, group);
    advance_epoch(decision, group, std::move(why));
    if (!group.is_empty()) return;
    // Nobody is left to assign anything to.
    decision.change(group, AssignmentEpochChange{{{.epoch = group.epoch(), .assigned_ms = 0}}});
}

void on_consumer_due(Decision& decision, const Due& due) {
    ConsumerTable& consumers = decision.table.consumers;
    if (due.kind == Due::Kind::consumer_notice)
        return notice_is_due(decision, *consumers.find(due.group));
    switch (due.kind) {
        case Due::Kind::consumer_session:
            consumers.cancel(&MemberTimers::session, due.group, due.member_id);
            break;
        case Due::Kind::consumer_rebalance:
            consumers.cancel(&MemberTimers::rebalance, due.group, due.member_id);
            break;
        case Due::Kind::consumer_join:
            consumers.cancel(&MemberTimers::join, due.group, due.member_id);
            break;
        case Due::Kind::consumer_sync:
            consumers.cancel(&MemberTimers::sync, due.group, due.member_id);
            break;
        default: return;
    }
    ConsumerGroup* const group = consumers.find(due.group);
    if (group == nullptr || group->find(due.member_id) == nullptr) return;
    const RebalanceCause cause = due.kind == Due::Kind::consumer_session
                                     ? RebalanceCause::session_timeout
                                     : RebalanceCause::rebalance_timeout;
    note_removed(decision, *group, due);
    remove_members(decision, *group, {due.member_id},
                   {.cause = cause, .member = name_in(*group, due.member_id)});
}

}  // namespace milena::coordinator

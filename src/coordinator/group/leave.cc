// SPDX-License-Identifier: Apache-2.0
// LeaveGroup: members go, or are sent away by the ids of their instances.
#include <algorithm>

#include "consumer/classic/classic_members.h"
#include "rebalance.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

/// The member of that id, or who was only given it.
GroupMemberName name_in(const ClassicGroup& group, const std::string& member_id) {
    const Member* const member = group.find(member_id);
    if (member != nullptr) return name_of(*member);
    return kept_name(member_id, {}, {}, {});
}

/// NONE: it is not in the group any more, which may be why the group rebalances.
ErrorCode leave(Decision& decision, ClassicGroup& group, const LeaveRequest::Member& who,
                RebalanceReason& why) {
    if (who.member_id.empty()) {
        const Member* const member =
            who.instance_id ? group.find_instance(*who.instance_id) : nullptr;
        if (member == nullptr) return ErrorCode::unknown_member_id;
        why.member = name_of(*member);
        why.said = kept_words(who.reason);
        drop(decision, group, std::string(member->id));
        return ErrorCode::none;
    }
    if (!group.pending.contains(who.member_id)) {
        const ErrorCode code = group.validate(who.member_id, who.instance_id);
        if (code != ErrorCode::none) return code;
    }
    why.member = name_in(group, who.member_id);
    why.said = kept_words(who.reason);
    drop(decision, group, who.member_id);
    return ErrorCode::none;
}

}  // namespace

void leave(Decision& decision, Ticket ticket, const LeaveRequest& request) {
    if (request.group.empty()) {
        decision.answer(ticket, LeaveReply{.code = ErrorCode::invalid_group_id, .members = {}});
        return;
    }
    if (ConsumerGroup* const consumers = decision.table.find_consumer(request.group)) {
        leave_consumer_group(decision, ticket, request, *consumers);
        return;
    }
    ClassicGroup* const group = decision.table.find(request.group);
    LeaveReply reply;
    RebalanceReason why{.cause = RebalanceCause::member_left};
    for (const LeaveRequest::Member& who : request.members) {
        reply.members.push_back(group == nullptr ? ErrorCode::unknown_member_id
                                                 : leave(decision, *group, who, why));
    }
    const bool has_anybody_left = std::ranges::count(reply.members, ErrorCode::none) != 0;
    decision.answer(ticket, std::move(reply));
    if (!has_anybody_left) return;
    if (group->is(GroupState::stable) || group->is(GroupState::completing_rebalance)) {
        rebalance_or_complete(decision, *group, std::move(why));
    } else if (group->is(GroupState::preparing_rebalance)) {
        complete_if_all_joined(decision, *group);
    }
}

}  // namespace milena::coordinator

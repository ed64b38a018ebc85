// SPDX-License-Identifier: Apache-2.0
// Heartbeat: a member lives, and hears whether it has to join again. Takes no memory but for the
// answer's place in the step.
#include "consumer/classic/classic_members.h"
#include "rebalance.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

ErrorCode check(const ClassicGroup* group, const HeartbeatRequest& request) {
    if (request.group.empty()) return ErrorCode::invalid_group_id;
    if (group == nullptr) return ErrorCode::unknown_member_id;
    if (const ErrorCode code = group->validate(request.member_id, request.instance_id);
        code != ErrorCode::none) {
        return code;
    }
    return request.generation == group->generation ? ErrorCode::none
                                                   : ErrorCode::illegal_generation;
}

}  // namespace

void heartbeat(Decision& decision, Ticket ticket, const HeartbeatRequest& request) {
    if (ConsumerGroup* const consumers = decision.table.find_consumer(request.group)) {
        heartbeat_to_consumer_group(decision, ticket, request, *consumers);
        return;
    }
    ClassicGroup* const group = decision.table.find(request.group);
    ErrorCode code = check(group, request);
    if (code == ErrorCode::none) {
        extend_session(decision, *group, *group->find(request.member_id));
        if (group->is(GroupState::preparing_rebalance)) code = ErrorCode::rebalance_in_progress;
    }
    decision.answer(ticket, HeartbeatReply{.code = code});
}

}  // namespace milena::coordinator

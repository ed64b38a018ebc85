// SPDX-License-Identifier: Apache-2.0
// DescribeGroups, of one classic group. What members subscribe to is told when it is settled.
#include <fmt/format.h>

#include "history/facts.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

DescribeGroupReply not_found(std::string why) {
    DescribeGroupReply reply;
    reply.code = ErrorCode::group_id_not_found;
    reply.why = std::move(why);
    reply.state = text(GroupState::dead);
    return reply;
}

DescribeGroupReply describe(const ClassicGroup& group) {
    const bool is_settled = group.is(GroupState::stable);
    DescribeGroupReply reply;
    reply.state = text(group.state());
    reply.protocol_type = group.protocol_type.value_or("");
    if (is_settled) reply.protocol = group.protocol_name.value_or("");
    for (const auto& [id, member] : group.members()) {
        const Bytes* const metadata = is_settled ? member.metadata(reply.protocol) : nullptr;
        reply.members.push_back({.member_id = id,
                                 .instance_id = member.instance_id,
                                 .client_id = member.client_id,
                                 .client_host = member.client_host,
                                 .metadata = metadata == nullptr ? Bytes() : *metadata,
                                 .assignment = member.assignment});
    }
    return reply;
}

}  // namespace

void describe(Decision& decision, Ticket ticket, const DescribeGroupRequest& request,
              StoredRecords stored) {
    if (const ClassicGroup* const group = decision.table.find(request.group)) {
        DescribeGroupReply reply = describe(*group);
        if (request.with_facts) reply.facts = facts_of(decision, *group, stored);
        decision.answer(ticket, std::move(reply));
    } else if (decision.table.find_other(request.group) != nullptr ||
               decision.table.find_consumer(request.group) != nullptr) {
        decision.answer(ticket,
                        not_found(fmt::format("Group {} is not a classic group.", request.group)));
    } else {
        decision.answer(ticket, not_found(fmt::format("Group {} not found.", request.group)));
    }
}

}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// ConsumerGroupDescribe, of one group.
#include <fmt/format.h>

#include "../history/facts.h"
#include "../requests.h"
#include "assignment/target.h"
#include "migration/migration.h"

namespace milena::coordinator {
namespace {

DescribeConsumerGroupReply::Member described(const std::string& id, const ConsumerMember& member) {
    DescribeConsumerGroupReply::Member out;
    out.member_id = id;
    out.instance_id = member.metadata->instance_id;
    out.rack_id = member.metadata->rack_id;
    out.member_epoch = member.epoch();
    out.client_id = member.metadata->client_id;
    out.client_host = member.metadata->client_host;
    out.topics = member.metadata->topics;
    out.regex = member.metadata->regex;
    out.assignment = by_topic(member.held());
    out.target = by_topic(member.wanted());
    out.is_classic = member.is_classic();
    return out;
}

}  // namespace

void describe_consumer_group(Decision& decision, Ticket ticket,
                             const DescribeConsumerGroupRequest& request, StoredRecords stored) {
    const Table& table = decision.table;
    DescribeConsumerGroupReply reply;
    const ConsumerGroup* const group = table.find_consumer(request.group);
    if (group == nullptr) {
        const bool is_other =
            table.find(request.group) != nullptr || table.find_other(request.group) != nullptr;
        reply.code = ErrorCode::group_id_not_found;
        reply.why = is_other ? not_of_consumers(request.group).why
                             : fmt::format("Group {} not found.", request.group);
        decision.answer(ticket, std::move(reply));
        return;
    }
    reply.state = group->state();
    reply.group_epoch = group->epoch();
    reply.assignment_epoch = group->assignment_epoch();
    reply.assignor = assignor_of(table, *group);
    for (const auto& [id, member] : group->members()) {
        if (member.metadata) reply.members.push_back(described(id, member));
    }
    if (request.with_facts) reply.facts = facts_of(decision, *group, stored);
    decision.answer(ticket, std::move(reply));
}

}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// DescribeGroups: state and members of classic groups. Versions 0 to 6; before 6 a group that there
// is not is told of as a dead one.
#include "milena/protocol/messages/describe_groups.h"

#include "../api.h"
#include "../groups/asking.h"
#include "../groups/facts.h"
#include "../image/describing.h"

namespace milena::server {
namespace {

using coordinator::DescribeGroupReply;
using protocol::DescribeGroupsRequest;
using protocol::DescribeGroupsResponse;
using DescribedGroup = DescribeGroupsResponse::DescribedGroup;

constexpr std::int16_t kFirstVersionWithNotFound = 6;

void add_members(Request& request, const DescribeGroupReply& reply, DescribedGroup& out) {
    auto members = request.arena.make_array<DescribeGroupsResponse::DescribedGroupMember>(
        reply.members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto& told = reply.members[i];
        members[i].member_id = request.arena.copy(told.member_id);
        if (told.instance_id) members[i].group_instance_id = request.arena.copy(*told.instance_id);
        members[i].client_id = request.arena.copy(told.client_id);
        members[i].client_host = request.arena.copy(told.client_host);
        members[i].member_metadata = request.arena.copy(BytesView(told.metadata));
        members[i].member_assignment = request.arena.copy(BytesView(told.assignment));
    }
    out.members = members;
}

void describe(Request& request, const DescribeGroupReply& reply, DescribedGroup& out) {
    const bool tells_code = reply.code != ErrorCode::group_id_not_found ||
                            request.version() >= kFirstVersionWithNotFound;
    if (tells_code) out.error_code = static_cast<std::int16_t>(reply.code);
    if (request.version() >= kFirstVersionWithNotFound && !reply.why.empty())
        out.error_message = request.arena.copy(error_text(reply.why));
    out.group_state = request.arena.copy(reply.state);
    out.protocol_type = request.arena.copy(reply.protocol_type);
    out.protocol_data = request.arena.copy(reply.protocol);
    if (reply.facts) {
        out.milena_facts = facts_blob(request.arena, *reply.facts, [&](std::string_view topic) {
            return request.session.may(security::Operation::describe, security::ResourceType::topic,
                                       topic);
        });
    }
    add_members(request, reply, out);
}

env::Task<void> ask(Request& request, const DescribeGroupsRequest& body, AnswerBudget& budget,
                    DescribedGroup& out) {
    if (budget.is_spent()) {
        out.error_code = static_cast<std::int16_t>(ErrorCode::policy_violation);
        co_return;
    }
    const auto reply = co_await ask_coordinator_for<DescribeGroupReply>(
        request, out.group_id,
        coordinator::DescribeGroupRequest{std::string(out.group_id), body.include_milena_facts});
    if (!reply) {
        out.error_code = static_cast<std::int16_t>(reply.error().code);
        co_return;
    }
    budget.spend(bytes_of(*reply));
    describe(request, *reply, out);
    if (body.include_authorized_operations && out.error_code == 0)
        out.authorized_operations = group_operations(request, out.group_id);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DescribeGroupsRequest>(request));
    const auto names = each_once(body.groups);
    auto groups = request.arena.make_array<DescribedGroup>(names.size());
    AnswerBudget budget;
    std::size_t refused = 0;
    for (const std::string_view group : names) {
        if (may_group(request, security::Operation::describe, group)) continue;
        groups[refused].group_id = group;
        groups[refused++].error_code =
            static_cast<std::int16_t>(ErrorCode::group_authorization_failed);
    }
    auto next = groups.begin() + static_cast<std::ptrdiff_t>(refused);
    for (const std::string_view group : names) {
        if (!may_group(request, security::Operation::describe, group)) continue;
        next->group_id = group;
        co_await ask(request, body, budget, *next++);
    }
    DescribeGroupsResponse response;
    response.groups = groups;
    co_return answer(request, response);
}

}  // namespace

Api api_15() {
    return make_api(protocol::ApiKey::describe_groups, &serve);
}

}  // namespace milena::server

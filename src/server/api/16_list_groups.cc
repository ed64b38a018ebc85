// SPDX-License-Identifier: Apache-2.0
// ListGroups: the groups that this broker coordinates and the client may know of. Versions 0 to 5.
#include "milena/protocol/messages/list_groups.h"

#include "../api.h"
#include "../groups/asking.h"
#include "../topics.h"

namespace milena::server {
namespace {

using coordinator::ListGroupsReply;
using protocol::ListGroupsRequest;
using protocol::ListGroupsResponse;
using Listed = std::vector<ListGroupsReply::Group>;

coordinator::ListGroupsRequest wanted(const ListGroupsRequest& body) {
    coordinator::ListGroupsRequest out;
    for (const std::string_view state : body.states_filter) out.states.emplace_back(state);
    for (const std::string_view type : body.types_filter) out.types.emplace_back(type);
    // Every coordinator here is asked with a copy.
    return coordinator::resolved(out);
}

/// Of all coordinators here; one that is being loaded would make the list less than it is.
env::Task<Result<Listed>> list(Request& request, const ListGroupsRequest& body) {
    coordinator::GroupGateway* const gateway = request.broker().groups;
    if (gateway == nullptr)
        co_return fail(ErrorCode::coordinator_not_available, "no groups are coordinated here");
    const Waiting waiting(request);
    auto replies = co_await gateway->ask_all(request.connection.owner(), wanted(body));
    Listed all;
    for (auto& reply : replies) {
        if (!reply && reply.error().code == ErrorCode::not_coordinator) continue;
        if (!reply) co_return std::unexpected(std::move(reply).error());
        std::ranges::move(std::get<ListGroupsReply>(*reply).groups, std::back_inserter(all));
    }
    co_return all;
}

void keep_visible(const Request& request, Listed& groups) {
    if (check_cluster_right(request, security::Operation::describe)) return;
    std::erase_if(groups, [&](const ListGroupsReply::Group& group) {
        return !may_group(request, security::Operation::describe, group.group);
    });
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<ListGroupsRequest>(request));
    auto listed = co_await list(request, body);
    ListGroupsResponse response;
    if (!listed) {
        response.error_code = static_cast<std::int16_t>(listed.error().code);
        co_return answer(request, response);
    }
    keep_visible(request, *listed);
    auto groups = request.arena.make_array<ListGroupsResponse::ListedGroup>(listed->size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i].group_id = (*listed)[i].group;
        groups[i].protocol_type = (*listed)[i].protocol_type;
        groups[i].group_state = (*listed)[i].state;
        groups[i].group_type = (*listed)[i].type;
    }
    response.groups = groups;
    co_return answer(request, response);
}

}  // namespace

Api api_16() {
    return make_api(protocol::ApiKey::list_groups, &serve);
}

}  // namespace milena::server

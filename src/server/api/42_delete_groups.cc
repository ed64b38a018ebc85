// SPDX-License-Identifier: Apache-2.0
// DeleteGroups: groups that nobody is in go, with their offsets. Versions 0 to 3.
#include "milena/protocol/messages/delete_groups.h"

#include <set>

#include "../api.h"
#include "../groups/asking.h"

namespace milena::server {
namespace {

using coordinator::DeleteGroupReply;
using protocol::DeleteGroupsRequest;
using protocol::DeleteGroupsResponse;

env::Task<ErrorCode> remove(Request& request, std::string_view group) {
    const auto reply = co_await ask_coordinator_for<DeleteGroupReply>(
        request, group, coordinator::DeleteGroupRequest{std::string(group)});
    co_return reply ? reply->code : reply.error().code;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DeleteGroupsRequest>(request));
    std::vector<std::string_view> allowed;
    std::vector<std::string_view> refused;
    std::set<std::string_view> seen;
    for (const std::string_view group : body.groups_names) {
        if (!seen.insert(group).second) continue;
        const bool may = may_group(request, security::Operation::remove, group);
        (may ? allowed : refused).push_back(group);
    }
    auto results =
        request.arena.make_array<DeleteGroupsResponse::DeletableGroupResult>(seen.size());
    auto next = results.begin();
    for (const std::string_view group : allowed) {
        const ErrorCode code = co_await remove(request, group);
        next->group_id = group;
        next++->error_code = static_cast<std::int16_t>(code);
    }
    for (const std::string_view group : refused) {
        next->group_id = group;
        next++->error_code = static_cast<std::int16_t>(ErrorCode::group_authorization_failed);
    }
    DeleteGroupsResponse response;
    response.results = results;
    co_return answer(request, response);
}

}  // namespace

Api api_42() {
    return make_api(protocol::ApiKey::delete_groups, &serve);
}

}  // namespace milena::server

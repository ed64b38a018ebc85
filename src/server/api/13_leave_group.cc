// SPDX-License-Identifier: Apache-2.0
// LeaveGroup: members of a classic group go, or are sent away by the ids of their instances.
// Versions 0 to 5; before 3 it is one member, and its code is that of the whole.
#include "milena/protocol/messages/leave_group.h"

#include "../api.h"
#include "../groups/asking.h"

namespace milena::server {
namespace {

using coordinator::LeaveReply;
using coordinator::LeaveRequest;
using protocol::LeaveGroupRequest;
using protocol::LeaveGroupResponse;

constexpr std::int16_t kFirstVersionWithMembers = 3;

LeaveRequest wanted(const Request& request, const LeaveGroupRequest& body) {
    LeaveRequest out;
    out.group = body.group_id;
    if (request.version() < kFirstVersionWithMembers) {
        out.members.emplace_back().member_id = body.member_id;
        return out;
    }
    for (const auto& member : body.members) {
        out.members.push_back({.member_id = std::string(member.member_id),
                               .instance_id = owned(member.group_instance_id),
                               .reason = std::string(member.reason.value_or(""))});
    }
    return out;
}

env::Task<LeaveReply> leave(Request& request, const LeaveGroupRequest& body) {
    LeaveReply refused;
    if (!may_group(request, security::Operation::read, body.group_id)) {
        refused.code = ErrorCode::group_authorization_failed;
        co_return refused;
    }
    auto reply =
        co_await ask_coordinator_for<LeaveReply>(request, body.group_id, wanted(request, body));
    if (reply) co_return *std::move(reply);
    refused.code = reply.error().code;
    co_return refused;
}

LeaveGroupResponse response(Request& request, const LeaveGroupRequest& body,
                            const LeaveReply& reply) {
    LeaveGroupResponse out;
    out.error_code = static_cast<std::int16_t>(reply.code);
    if (reply.code != ErrorCode::none) return out;
    if (request.version() < kFirstVersionWithMembers) {
        out.error_code = static_cast<std::int16_t>(reply.members.front());
        return out;
    }
    auto members =
        request.arena.make_array<LeaveGroupResponse::MemberResponse>(reply.members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        members[i].member_id = body.members[i].member_id;
        members[i].group_instance_id = body.members[i].group_instance_id;
        members[i].error_code = static_cast<std::int16_t>(reply.members[i]);
    }
    out.members = members;
    return out;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<LeaveGroupRequest>(request));
    const LeaveReply reply = co_await leave(request, body);
    const auto out = response(request, body, reply);
    co_return answer(request, out);
}

}  // namespace

Api api_13() {
    return make_api(protocol::ApiKey::leave_group, &serve);
}

}  // namespace milena::server

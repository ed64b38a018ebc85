// SPDX-License-Identifier: Apache-2.0
// JoinGroup: a member of a classic group comes in, or joins its next generation. It may wait as
// long as a rebalance takes. Versions 0 to 9.
#include "milena/protocol/messages/join_group.h"

#include "../api.h"
#include "../groups/asking.h"

namespace milena::server {
namespace {

using coordinator::JoinReply;
using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;

constexpr std::int16_t kFirstVersionWithRebalanceTimeout = 1;
constexpr std::int16_t kFirstVersionWithKnownIds = 4;
constexpr std::int16_t kFirstVersionWithNoProtocol = 7;
constexpr std::int16_t kFirstVersionWithSkippedAssignment = 9;

coordinator::JoinRequest wanted(const Request& request, const JoinGroupRequest& body) {
    coordinator::JoinRequest out;
    out.group = body.group_id;
    out.member_id = body.member_id;
    out.instance_id = owned(body.group_instance_id);
    out.protocol_type = body.protocol_type;
    for (const auto& protocol : body.protocols)
        out.protocols.push_back({std::string(protocol.name), owned(protocol.metadata)});
    out.session_timeout_ms = body.session_timeout_ms;
    out.rebalance_timeout_ms = request.version() < kFirstVersionWithRebalanceTimeout
                                   ? body.session_timeout_ms
                                   : body.rebalance_timeout_ms;
    out.client_id = request.head.header.client_id.value_or("");
    out.client_host = "/" + request.session.client().host;
    out.must_know_its_id = request.version() >= kFirstVersionWithKnownIds;
    out.can_skip_assignment = request.version() >= kFirstVersionWithSkippedAssignment;
    out.reason = body.reason.value_or("");
    return out;
}

env::Task<JoinReply> join(Request& request, const JoinGroupRequest& body) {
    JoinReply refused;
    if (!may_group(request, security::Operation::read, body.group_id)) {
        refused.code = ErrorCode::group_authorization_failed;
        co_return refused;
    }
    auto reply =
        co_await ask_coordinator_for<JoinReply>(request, body.group_id, wanted(request, body));
    if (reply) co_return *std::move(reply);
    refused.code = reply.error().code;
    co_return refused;
}

JoinGroupResponse response(Request& request, const JoinReply& reply) {
    JoinGroupResponse out;
    out.error_code = static_cast<std::int16_t>(reply.code);
    out.generation_id = reply.generation;
    out.protocol_type = nullable(reply.protocol_type);
    const auto protocol = nullable(reply.protocol_name).value_or("");
    out.protocol_name = protocol;
    if (protocol.empty() && request.version() >= kFirstVersionWithNoProtocol)
        out.protocol_name = std::nullopt;
    out.leader = reply.leader;
    out.skip_assignment = reply.skip_assignment;
    out.member_id = reply.member_id;
    auto members =
        request.arena.make_array<JoinGroupResponse::JoinGroupResponseMember>(reply.members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        members[i].member_id = reply.members[i].member_id;
        members[i].group_instance_id = nullable(reply.members[i].instance_id);
        members[i].metadata = BytesView(reply.members[i].metadata);
    }
    out.members = members;
    return out;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<JoinGroupRequest>(request));
    const JoinReply reply = co_await join(request, body);
    const auto out = response(request, reply);
    co_return answer(request, out);
}

}  // namespace

Api api_11() {
    return make_api(protocol::ApiKey::join_group, &serve);
}

}  // namespace milena::server

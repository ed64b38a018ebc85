// SPDX-License-Identifier: Apache-2.0
// SyncGroup: the leader of a classic group hands assignments in, every member gets its own; it
// waits for the leader's. Versions 0 to 5.
#include "milena/protocol/messages/sync_group.h"

#include "../api.h"
#include "../groups/asking.h"

namespace milena::server {
namespace {

using coordinator::SyncReply;
using protocol::SyncGroupRequest;
using protocol::SyncGroupResponse;

constexpr std::int16_t kFirstVersionWithProtocol = 5;

coordinator::SyncRequest wanted(const SyncGroupRequest& body) {
    coordinator::SyncRequest out;
    out.group = body.group_id;
    out.generation = body.generation_id;
    out.member_id = body.member_id;
    out.instance_id = owned(body.group_instance_id);
    out.protocol_type = owned(body.protocol_type);
    out.protocol_name = owned(body.protocol_name);
    for (const auto& assigned : body.assignments) {
        out.assignments.push_back({.member_id = std::string(assigned.member_id),
                                   .assignment = owned(assigned.assignment)});
    }
    return out;
}

env::Task<SyncReply> sync(Request& request, const SyncGroupRequest& body) {
    SyncReply refused;
    if (request.version() >= kFirstVersionWithProtocol &&
        (!body.protocol_type || !body.protocol_name)) {
        refused.code = ErrorCode::inconsistent_group_protocol;
        co_return refused;
    }
    if (!may_group(request, security::Operation::read, body.group_id)) {
        refused.code = ErrorCode::group_authorization_failed;
        co_return refused;
    }
    auto reply = co_await ask_coordinator_for<SyncReply>(request, body.group_id, wanted(body));
    if (reply) co_return *std::move(reply);
    refused.code = reply.error().code;
    co_return refused;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<SyncGroupRequest>(request));
    const SyncReply reply = co_await sync(request, body);
    SyncGroupResponse response;
    response.error_code = static_cast<std::int16_t>(reply.code);
    response.protocol_type = nullable(reply.protocol_type);
    response.protocol_name = nullable(reply.protocol_name);
    response.assignment = BytesView(reply.assignment);
    co_return answer(request, response);
}

}  // namespace

Api api_14() {
    return make_api(protocol::ApiKey::sync_group, &serve);
}

}  // namespace milena::server

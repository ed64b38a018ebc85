// SPDX-License-Identifier: Apache-2.0
// Heartbeat: a member of a classic group lives, and hears whether it has to join again. Versions 0
// to 4.
#include "milena/protocol/messages/heartbeat.h"

#include "../api.h"
#include "../groups/asking.h"

namespace milena::server {
namespace {

using coordinator::HeartbeatReply;
using protocol::HeartbeatRequest;
using protocol::HeartbeatResponse;

env::Task<ErrorCode> beat(Request& request, const HeartbeatRequest& body) {
    if (!may_group(request, security::Operation::read, body.group_id))
        co_return ErrorCode::group_authorization_failed;
    coordinator::HeartbeatRequest wanted;
    wanted.group = body.group_id;
    wanted.generation = body.generation_id;
    wanted.member_id = body.member_id;
    wanted.instance_id = owned(body.group_instance_id);
    const auto reply =
        co_await ask_coordinator_for<HeartbeatReply>(request, body.group_id, std::move(wanted));
    if (reply) co_return reply->code;
    // Sessions begin anew when the group is loaded: there is nothing that the member should do.
    if (reply.error().code == ErrorCode::coordinator_load_in_progress) co_return ErrorCode::none;
    co_return reply.error().code;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<HeartbeatRequest>(request));
    HeartbeatResponse response;
    response.error_code = static_cast<std::int16_t>(co_await beat(request, body));
    co_return answer(request, response);
}

}  // namespace

Api api_12() {
    return make_api(protocol::ApiKey::heartbeat, &serve);
}

}  // namespace milena::server

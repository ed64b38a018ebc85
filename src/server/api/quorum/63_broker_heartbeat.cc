// SPDX-License-Identifier: Apache-2.0
// BrokerHeartbeat: a broker is alive, says how far its image is, and may want to leave (KIP-631).
#include "milena/protocol/messages/broker_heartbeat.h"

#include "controller_request.h"

namespace milena::server {
namespace {

using protocol::BrokerHeartbeatRequest;
using protocol::BrokerHeartbeatResponse;

env::Task<Result<controller::BrokerHeartbeatReply>> beat(const Request& request,
                                                         const BrokerHeartbeatRequest& body) {
    CO_TRY(auto* const controller, own_controller(request));
    controller::BrokerHeartbeatRequest asked;
    asked.id = BrokerId(body.broker_id);
    asked.epoch = BrokerEpoch(body.broker_epoch);
    asked.metadata_offset = Offset(body.current_metadata_offset);
    asked.want_fence = body.want_fence;
    asked.want_shutdown = body.want_shut_down;
    asked.offline_log_directories.assign(body.offline_log_dirs.begin(),
                                         body.offline_log_dirs.end());
    if (body.cordoned_log_dirs.has_value()) {
        asked.cordoned_log_directories.emplace(body.cordoned_log_dirs.begin(),
                                               body.cordoned_log_dirs.end());
    }
    co_return co_await controller->heartbeat(std::move(asked), request.received + kControllerWait);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<BrokerHeartbeatRequest>(request));
    // From the first on, answered or not: the broker may die before.
    request.session.carries_heartbeats(BrokerId(body.broker_id), BrokerEpoch(body.broker_epoch));
    const auto done = co_await beat(request, body);
    if (request.connection.is_closed()) co_return ok();
    BrokerHeartbeatResponse response;
    if (done) {
        response.is_caught_up = done->is_caught_up;
        response.is_fenced = done->is_fenced;
        response.should_shut_down = done->should_shut_down;
    } else {
        response.error_code = static_cast<std::int16_t>(done.error().code);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_63() {
    return make_api(protocol::ApiKey::broker_heartbeat, &serve);
}

}  // namespace milena::server

// SPDX-License-Identifier: Apache-2.0
// BrokerRegistration: a broker that starts makes itself known to the active controller (KIP-631).
#include "milena/protocol/messages/broker_registration.h"

#include "controller_request.h"

namespace milena::server {
namespace {

using protocol::BrokerRegistrationRequest;
using protocol::BrokerRegistrationResponse;

env::Task<Result<controller::RegisterBrokerReply>> register_broker(
    const Request& request, const BrokerRegistrationRequest& body) {
    CO_TRY(auto* const controller, own_controller(request));
    controller::RegisterBrokerRequest asked;
    asked.id = BrokerId(body.broker_id);
    asked.cluster_id = body.cluster_id;
    asked.incarnation_id = body.incarnation_id;
    asked.endpoints = endpoints_of(body.listeners);
    asked.features = features_of(body.features);
    if (body.rack) asked.rack = std::string(*body.rack);
    asked.log_directories.assign(body.log_dirs.begin(), body.log_dirs.end());
    asked.previous_epoch = BrokerEpoch(body.previous_broker_epoch);
    asked.is_migrating_zk_broker = body.is_migrating_zk_broker;
    co_return co_await controller->register_broker(std::move(asked),
                                                   request.received + kControllerWait);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<BrokerRegistrationRequest>(request));
    const auto done = co_await register_broker(request, body);
    if (request.connection.is_closed()) co_return ok();
    BrokerRegistrationResponse response;
    if (done) {
        response.broker_epoch = done->epoch.value;
    } else {
        response.error_code = static_cast<std::int16_t>(done.error().code);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_62() {
    return make_api(protocol::ApiKey::broker_registration, &serve);
}

}  // namespace milena::server

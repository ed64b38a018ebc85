// SPDX-License-Identifier: Apache-2.0
// ControllerRegistration: a controller makes itself known to the active one (KIP-919).
#include "milena/protocol/messages/controller_registration.h"

#include "controller_request.h"

namespace milena::server {
namespace {

using protocol::ControllerRegistrationRequest;
using protocol::ControllerRegistrationResponse;

env::Task<Result<void>> register_controller(const Request& request,
                                            const ControllerRegistrationRequest& body) {
    CO_TRY(auto* const controller, own_controller(request));
    co_return co_await controller->register_controller({.id = BrokerId(body.controller_id),
                                                        .incarnation_id = body.incarnation_id,
                                                        .endpoints = endpoints_of(body.listeners),
                                                        .features = features_of(body.features)},
                                                       request.received + kControllerWait);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<ControllerRegistrationRequest>(request));
    const auto done = co_await register_controller(request, body);
    if (request.connection.is_closed()) co_return ok();
    ControllerRegistrationResponse response;
    response.error_message = std::nullopt;
    if (!done) {
        response.error_code = static_cast<std::int16_t>(done.error().code);
        response.error_message = error_text(done.error().why);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_70() {
    return make_api(protocol::ApiKey::controller_registration, &serve);
}

}  // namespace milena::server

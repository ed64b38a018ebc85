// SPDX-License-Identifier: Apache-2.0
// UnregisterBroker: makes the cluster forget a broker that will not come back.
#include "milena/protocol/messages/unregister_broker.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::UnregisterBrokerRequest;
using protocol::UnregisterBrokerResponse;

/// The request has no time of its own.
constexpr env::Duration kWait = std::chrono::seconds(30);

env::Task<Result<void>> unregister(Request& request, BrokerId broker) {
    CO_TRY_VOID(check_cluster_right(request, security::Operation::alter));
    const env::Instant deadline = request.received + kWait;
    CO_TRY_VOID(co_await ask_controller(request, [&](controller::Gateway& controller) {
        return controller.unregister_broker(broker, deadline);
    }));
    co_await show_change(request, deadline);
    co_return ok();
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<UnregisterBrokerRequest>(request));
    const auto done = co_await unregister(request, BrokerId(body.broker_id));
    UnregisterBrokerResponse response;
    response.error_message = std::nullopt;
    if (!done) {
        response.error_code = static_cast<std::int16_t>(done.error().code);
        response.error_message = error_text(done.error().why);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_64() {
    return make_api(protocol::ApiKey::unregister_broker, &serve);
}

}  // namespace milena::server

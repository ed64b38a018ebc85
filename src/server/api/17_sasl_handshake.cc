// SPDX-License-Identifier: Apache-2.0
// SaslHandshake on a listener without SASL: ILLEGAL_SASL_STATE, and the connection stays, as with
// Apache Kafka. The log says what to change, because many clients show their user only a failed
// login.
#include "milena/protocol/messages/sasl_handshake.h"

#include "../api.h"

namespace milena::server {
namespace {

using protocol::SaslHandshakeRequest;
using protocol::SaslHandshakeResponse;

void explain(Request& request, std::string_view mechanism) {
    std::uint64_t suppressed = 0;
    LogLimit& limit = request.session.core().sasl_refusals;
    if (!limit.admit(request.received.time_since_epoch(), suppressed)) return;
    LOG_WARN(request.broker().log,
             "a client wants to log in with SASL where nobody does; set its security.protocol to "
             "PLAINTEXT",
             kv("peer", request.connection.remote().text()),
             kv("listener", request.session.listener().name), kv("mechanism", mechanism),
             kv("lines_suppressed", suppressed));
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<SaslHandshakeRequest>(request));
    explain(request, body.mechanism);
    SaslHandshakeResponse response;
    response.error_code = static_cast<std::int16_t>(ErrorCode::illegal_sasl_state);
    co_return answer(request, response);
}

}  // namespace

Api api_17() {
    return make_api(protocol::ApiKey::sasl_handshake, &serve);
}

}  // namespace milena::server

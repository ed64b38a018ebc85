// SPDX-License-Identifier: Apache-2.0
// SaslAuthenticate on a listener without SASL: ILLEGAL_SASL_STATE, and the connection stays, as
// with Apache Kafka.
#include "milena/protocol/messages/sasl_authenticate.h"

#include "../api.h"

namespace milena::server {
namespace {

using protocol::SaslAuthenticateRequest;
using protocol::SaslAuthenticateResponse;

env::Task<Result<void>> serve(Request& request) {
    CO_TRY_VOID(decode_body<SaslAuthenticateRequest>(request));
    SaslAuthenticateResponse response;
    response.error_code = static_cast<std::int16_t>(ErrorCode::illegal_sasl_state);
    response.error_message = "SaslAuthenticate request received after successful authentication";
    co_return answer(request, response);
}

}  // namespace

Api api_36() {
    return make_api(protocol::ApiKey::sasl_authenticate, &serve);
}

}  // namespace milena::server

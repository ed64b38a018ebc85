// SPDX-License-Identifier: Apache-2.0
// Envelope: a broker passes on what its client asked of the controller, with who the client is
// (KIP-590). What is wrong with the envelope, or with this node, is an error of the envelope, upon
// which the broker tries again or gives up; what becomes of the inner request is in its own answer.
#include "milena/protocol/messages/envelope.h"

#include "../../forwarding/identity.h"
#include "controller_request.h"

namespace milena::server {
namespace {

using protocol::EnvelopeRequest;
using protocol::EnvelopeResponse;

env::Task<Result<std::vector<std::byte>>> open(Request& request, const EnvelopeRequest& body) {
    CO_TRY_VOID(check_cluster_right(request, security::Operation::cluster_action));
    const BytesView principal =
        body.request_principal ? BytesView(*body.request_principal) : BytesView();
    CO_TRY(auto client, client_from_bytes(principal, body.client_host_address));
    if (body.request_data.empty()) co_return fail(ErrorCode::invalid_request, "an empty envelope");
    // Handlers take a frame that they may write into: it is a part of the one that is ours.
    const auto at = static_cast<std::size_t>(body.request_data.data() - request.frame.data());
    const MutableBytes frame = request.frame.subspan(at, body.request_data.size());
    Session inner(request.broker(), request.session.core(), request.session.listener(),
                  std::move(client));
    co_return co_await inner.serve_inside(frame, request.connection);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<EnvelopeRequest>(request));
    const auto answered = co_await open(request, body);
    if (request.connection.is_closed()) co_return ok();
    EnvelopeResponse response;
    response.response_data = std::nullopt;
    if (answered) {
        response.response_data = BytesView(*answered);
    } else {
        response.error_code = static_cast<std::int16_t>(answered.error().code);
        LOG_DEBUG(request.broker().log, "an envelope was refused", kv("why", answered.error().why));
    }
    co_return answer(request, response);
}

}  // namespace

Api api_58() {
    return make_api(protocol::ApiKey::envelope, &serve);
}

}  // namespace milena::server

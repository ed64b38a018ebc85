// SPDX-License-Identifier: Apache-2.0
// InitProducerId: a fresh id for a producer without transactions, whatever id it had before. A
// transactional id needs its coordinator, and there is none yet: COORDINATOR_NOT_AVAILABLE, upon
// which a client asks again until its own time is over.
#include "milena/protocol/messages/init_producer_id.h"

#include "../api.h"
#include "milena/server/producer_ids.h"

namespace milena::server {
namespace {

using protocol::InitProducerIdRequest;
using protocol::InitProducerIdResponse;
using security::Operation;
using security::ResourceType;

/// How long the controller may take to give a new block.
constexpr env::Duration kBlockWait = std::chrono::seconds(5);

ErrorCode refuse_transactional(const Request& request, const InitProducerIdRequest& body) {
    const std::string_view id = *body.transactional_id;
    if (id.empty()) return ErrorCode::invalid_request;
    if (body.transaction_timeout_ms <= 0) return ErrorCode::invalid_transaction_timeout;
    LOG_DEBUG(request.broker().log, "no transaction coordinator", kv("transactional_id", id));
    return ErrorCode::coordinator_not_available;
}

/// None if an id may be given.
ErrorCode refuse(const Request& request, const InitProducerIdRequest& body) {
    if (body.transactional_id) {
        if (!request.session.may(Operation::write, ResourceType::transactional_id,
                                 *body.transactional_id)) {
            return ErrorCode::transactional_id_authorization_failed;
        }
    } else if (!request.session.may(Operation::idempotent_write, ResourceType::cluster,
                                    security::kClusterResource)) {
        return ErrorCode::cluster_authorization_failed;
    }
    if ((body.producer_id == -1) != (body.producer_epoch == -1)) return ErrorCode::invalid_request;
    return body.transactional_id ? refuse_transactional(request, body) : ErrorCode::none;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<InitProducerIdRequest>(request));
    InitProducerIdResponse response;
    response.producer_epoch = -1;
    ErrorCode code = refuse(request, body);
    if (code == ErrorCode::none) {
        const env::Instant deadline = request.received + kBlockWait;
        const auto id =
            co_await request.broker().producer_ids.next(request.connection.owner(), deadline);
        if (id) {
            response.producer_id = id->value;
            response.producer_epoch = 0;
        } else {
            code = id.error().code;
            LOG_WARN(request.broker().log, "no producer ids", kv("why", id.error().why));
        }
    }
    response.error_code = static_cast<std::int16_t>(code);
    co_return answer(request, response);
}

}  // namespace

Api api_22() {
    return make_api(protocol::ApiKey::init_producer_id, &serve);
}

}  // namespace milena::server

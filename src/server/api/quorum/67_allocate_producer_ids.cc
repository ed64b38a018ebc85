// SPDX-License-Identifier: Apache-2.0
// AllocateProducerIds: a broker asks for a block of producer ids of its own (KIP-730).
#include "milena/protocol/messages/allocate_producer_ids.h"

#include "controller_request.h"

namespace milena::server {
namespace {

using protocol::AllocateProducerIdsRequest;
using protocol::AllocateProducerIdsResponse;

env::Task<Result<controller::ProducerIdBlock>> allocate(const Request& request,
                                                        const AllocateProducerIdsRequest& body) {
    CO_TRY(auto* const controller, own_controller(request));
    co_return co_await controller->allocate_producer_ids(
        {BrokerId(body.broker_id), BrokerEpoch(body.broker_epoch)},
        request.received + kControllerWait);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<AllocateProducerIdsRequest>(request));
    const auto block = co_await allocate(request, body);
    if (request.connection.is_closed()) co_return ok();
    AllocateProducerIdsResponse response;
    if (block) {
        response.producer_id_start = block->first;
        response.producer_id_len = block->count;
    } else {
        response.error_code = static_cast<std::int16_t>(block.error().code);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_67() {
    return make_api(protocol::ApiKey::allocate_producer_ids, &serve);
}

}  // namespace milena::server

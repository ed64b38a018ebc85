// SPDX-License-Identifier: Apache-2.0
// The next block begins where the last one ended; the record comes before the answer.
#include "producer_ids.h"

#include "brokers.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {

static constexpr std::int32_t kBlock = 1000;

Decision<Result<ProducerIdBlock>> allocate_producer_ids(const View& view,
                                                        const AllocateProducerIdsRequest& request) {
    if (const auto broker = find_broker(view, request.broker, request.epoch); !broker) {
        return {{}, std::unexpected(broker.error())};
    }
    const std::int64_t first = view.image.next_producer_id;
    if (first > INT64_MAX - kBlock)
        return {{}, fail(ErrorCode::unknown_server_error, "all producer ids are used up")};
    return {{metadata::encode_record(protocol::ProducerIdsRecord{
                request.broker.value, request.epoch.value, first + kBlock})},
            ProducerIdBlock{first, kBlock}};
}

}  // namespace milena::controller

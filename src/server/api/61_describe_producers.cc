// SPDX-License-Identifier: Apache-2.0
// DescribeProducers (KIP-664): what this node's replicas know of those who write to them with a
// producer id. Any replica answers, not the leader only.
#include "milena/protocol/messages/describe_producers.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::DescribeProducersRequest;
using protocol::DescribeProducersResponse;

Result<std::vector<storage::ActiveProducer>> producers_of(const Request& request,
                                                          const TopicLookup& topic,
                                                          std::int32_t partition) {
    TRY(const auto replica, find_replica(request, topic, partition));
    return replica->active_producers();
}

/// Kafka has words for a topic, and none for a partition.
std::string_view words_for(ErrorCode code) {
    return code == ErrorCode::topic_authorization_failed
               ? "Topic authorization failed."
               : "This server does not host this topic-partition.";
}

void describe(const storage::ActiveProducer& producer,
              DescribeProducersResponse::ProducerState& out) {
    out.producer_id = producer.id.value;
    out.producer_epoch = producer.epoch;
    out.last_sequence = producer.last_sequence;
    out.last_timestamp = producer.last_timestamp.value;
    out.coordinator_epoch = producer.coordinator_epoch;
    out.current_txn_start_offset = producer.transaction_start.value;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DescribeProducersRequest>(request));
    const auto image = request.broker().image.load();
    DescribeProducersResponse response;
    auto topics =
        request.arena.make_array<DescribeProducersResponse::TopicResponse>(body.topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
        const auto& asked = body.topics[i];
        const auto topic = find_topic(request, *image, asked.name, security::Operation::read);
        auto parts = request.arena.make_array<DescribeProducersResponse::PartitionResponse>(
            asked.partition_indexes.size());
        for (std::size_t j = 0; j < parts.size(); ++j) {
            parts[j].partition_index = asked.partition_indexes[j];
            const auto found = producers_of(request, topic, asked.partition_indexes[j]);
            if (!found) {
                parts[j].error_code = static_cast<std::int16_t>(found.error().code);
                if (!topic) parts[j].error_message = words_for(found.error().code);
                continue;
            }
            auto active =
                request.arena.make_array<DescribeProducersResponse::ProducerState>(found->size());
            for (std::size_t k = 0; k < active.size(); ++k) describe((*found)[k], active[k]);
            parts[j].active_producers = active;
        }
        topics[i].name = asked.name;
        topics[i].partitions = parts;
    }
    response.topics = topics;
    co_return answer(request, response);
}

}  // namespace

Api api_61() {
    return make_api(protocol::ApiKey::describe_producers, &serve);
}

}  // namespace milena::server

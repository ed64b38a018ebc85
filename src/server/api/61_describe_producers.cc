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

/// A request that names more is refused; as many are told so.
constexpr std::size_t kPartitionsMax = 10'000;
/// The partitions beyond it are refused: one may be named again and again.
constexpr std::size_t kProducersMax = 1'000'000;
constexpr std::string_view kTooMuch = "Excessively large number of partitions per request.";

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

class Describing {
public:
    Describing(Request& request, const DescribeProducersRequest& body) : request_(request) {
        std::size_t partitions = 0;
        for (const auto& asked : body.topics) partitions += asked.partition_indexes.size();
        is_refused_ = partitions > kPartitionsMax;
    }

    DescribeProducersResponse::TopicResponse topic(
        const DescribeProducersRequest::TopicRequest& asked) {
        const auto found = find_topic(request_, *image_, asked.name, security::Operation::read);
        const std::size_t most =
            std::min(asked.partition_indexes.size(), kPartitionsMax - partitions_told_);
        auto parts = request_.arena.make_array<DescribeProducersResponse::PartitionResponse>(most);
        for (std::size_t i = 0; i < most; ++i)
            parts[i] = partition(found, asked.partition_indexes[i]);
        partitions_told_ += most;
        DescribeProducersResponse::TopicResponse out;
        out.name = asked.name;
        out.partitions = parts;
        return out;
    }

private:
    DescribeProducersResponse::PartitionResponse partition(const TopicLookup& topic,
                                                           std::int32_t index) {
        DescribeProducersResponse::PartitionResponse out;
        out.partition_index = index;
        if (is_refused_ || producers_told_ >= kProducersMax) {
            out.error_code = static_cast<std::int16_t>(ErrorCode::policy_violation);
            out.error_message = kTooMuch;
            return out;
        }
        const auto found = producers_of(request_, topic, index);
        if (!found) {
            out.error_code = static_cast<std::int16_t>(found.error().code);
            if (!topic) out.error_message = words_for(found.error().code);
            return out;
        }
        auto active =
            request_.arena.make_array<DescribeProducersResponse::ProducerState>(found->size());
        for (std::size_t i = 0; i < active.size(); ++i) describe((*found)[i], active[i]);
        out.active_producers = active;
        producers_told_ += active.size();
        return out;
    }

    Request& request_;
    std::shared_ptr<const metadata::Image> image_ = request_.broker().image.load();
    bool is_refused_ = false;
    std::size_t partitions_told_ = 0;
    std::size_t producers_told_ = 0;
};

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DescribeProducersRequest>(request));
    auto topics =
        request.arena.make_array<DescribeProducersResponse::TopicResponse>(body.topics.size());
    Describing describing(request, body);
    for (std::size_t i = 0; i < topics.size(); ++i) topics[i] = describing.topic(body.topics[i]);
    DescribeProducersResponse response;
    response.topics = topics;
    co_return answer(request, response);
}

}  // namespace

Api api_61() {
    return make_api(protocol::ApiKey::describe_producers, &serve);
}

}  // namespace milena::server

// SPDX-License-Identifier: Apache-2.0
// As Kafka's AutoTopicCreationManager.
#include "internal/internal_topics.h"

#include "forwarding/forwarding.h"
#include "milena/record/compression.h"

namespace milena::server {
namespace {

using protocol::CreateTopicsRequest;
using protocol::CreateTopicsResponse;

/// How long an answer waits for topics that it had created.
constexpr env::Duration kCreationWait = std::chrono::seconds(5);

}  // namespace

std::optional<CreateTopicsRequest::CreatableTopic> internal_topic(const Request& request,
                                                                  std::string_view name) {
    if (name != kOffsetsTopic) return std::nullopt;
    const auto& config = request.broker().config.offsets_topic;
    auto configs = request.arena.make_array<CreateTopicsRequest::CreatableTopicConfig>(3);
    configs[0].name = "cleanup.policy";
    configs[0].value = "compact";
    configs[1].name = "segment.bytes";
    configs[1].value = request.arena.copy(fmt::format("{}", config.segment_bytes));
    configs[2].name = "compression.type";
    configs[2].value = "producer";
    CreateTopicsRequest::CreatableTopic topic;
    topic.name = kOffsetsTopic;
    topic.num_partitions = config.partitions;
    topic.replication_factor = config.replication_factor;
    topic.configs = configs;
    return topic;
}

env::Task<void> create_by_itself(const Request& request,
                                 std::span<const CreateTopicsRequest::CreatableTopic> topics) {
    CreateTopicsRequest wanted;
    wanted.topics = topics;
    wanted.timeout_ms = static_cast<std::int32_t>(kCreationWait / std::chrono::milliseconds(1));
    const auto reply = co_await ask_active_controller<CreateTopicsResponse>(
        request, wanted, CreateTopicsRequest::kMaxVersion, request.received + kCreationWait);
    if (!reply) co_return;
    for (const auto& topic : reply->body.topics) {
        const auto code = static_cast<ErrorCode>(topic.error_code);
        if (code == ErrorCode::none || code == ErrorCode::topic_already_exists) continue;
        LOG_INFO(request.broker().log, "topic not created by itself", kv("topic", topic.name),
                 kv("client", request.head.header.client_id.value_or("")),
                 kv("why", topic.error_message.value_or("")));
    }
}

}  // namespace milena::server

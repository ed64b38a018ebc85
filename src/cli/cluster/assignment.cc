// SPDX-License-Identifier: Apache-2.0
// Metadata until there are partitions, then their offsets.
#include "cluster/assignment.h"

#include <algorithm>

#include "text/exceptions.h"
#include "text/topic_filter.h"

namespace milena::cli {
namespace {

constexpr env::Duration kPause = std::chrono::milliseconds(100);

Result<std::vector<TopicPartition>> partitions_in(const protocol::MetadataResponse& answer,
                                                  const TopicChoice& choice) {
    std::vector<TopicPartition> partitions;
    TRY(const auto filter, TopicFilter::parse(choice.include.empty() ? ".*" : choice.include));
    for (const auto& topic : answer.topics) {
        const auto code = static_cast<ErrorCode>(topic.error_code);
        if (code != ErrorCode::none && !is_retriable(code))
            return std::unexpected(answered_error(topic.error_code, ""));
        const std::string name(topic.name.value_or(""));
        if (!choice.include.empty() && !filter.allows(name)) continue;
        for (const auto& partition : topic.partitions)
            partitions.emplace_back(name, partition.partition_index);
    }
    std::ranges::sort(partitions);
    return partitions;
}

}  // namespace

env::Task<Result<std::vector<TopicPartition>>> find_partitions(Session& session,
                                                               const TopicChoice& choice,
                                                               env::Instant give_up) {
    protocol::MetadataRequest request;
    std::array<protocol::MetadataRequest::MetadataRequestTopic, 1> topics;
    topics[0].name = choice.topic;
    request.topics = topics;
    request.allow_auto_topic_creation = true;
    if (!choice.include.empty()) request.topics = std::nullopt;
    for (;;) {
        CO_TRY(const auto answer,
               co_await session.ask<protocol::MetadataResponse>(wire::Target::any(), request));
        CO_TRY(auto partitions, partitions_in(*answer, choice));
        if (!partitions.empty() || session.env().clock().now() >= give_up) co_return partitions;
        co_await session.env().sleep(session.executor(), kPause);
    }
}

env::Task<Result<std::map<TopicPartition, std::int64_t>>> positions_at(
    Session& session, std::vector<TopicPartition> partitions, std::int64_t begin) {
    std::map<TopicPartition, std::int64_t> positions;
    if (begin >= 0) {
        for (auto& partition : partitions) positions[std::move(partition)] = begin;
        co_return positions;
    }
    CO_TRY(const auto offsets, co_await list_offsets(session, std::move(partitions), begin));
    for (const auto& [partition, offset] : offsets) {
        if (!offset) co_return std::unexpected(offset.error());
        positions[partition] = *offset;
    }
    co_return positions;
}

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// Topics by DescribeTopicPartitions, which tells of eligible leader replicas and gives partitions
// in pages, or by Metadata where a cluster has no more.
#include "cluster/topic_states.h"

#include <algorithm>

#include "milena/protocol/messages/describe_topic_partitions.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::DescribeTopicPartitionsRequest;
using protocol::DescribeTopicPartitionsResponse;
using protocol::MetadataRequest;
using protocol::MetadataResponse;

BrokerIds ids(const protocol::Array<std::int32_t>& from) {
    return {from.begin(), from.end()};
}

std::optional<BrokerIds> ids(const protocol::NullableArray<std::int32_t>& from) {
    if (!from.has_value()) return std::nullopt;
    return BrokerIds(from.begin(), from.end());
}

TopicState state_of(const MetadataResponse::MetadataResponseTopic& topic) {
    TopicState state{std::string(topic.name.value_or("")), topic.topic_id, {}};
    for (const auto& partition : topic.partitions) {
        state.partitions.push_back({partition.partition_index, partition.leader_id,
                                    ids(partition.replica_nodes), ids(partition.isr_nodes),
                                    std::nullopt, std::nullopt});
    }
    std::ranges::sort(state.partitions, {}, &PartitionState::index);
    return state;
}

env::Task<Result<std::vector<TopicState>>> describe_by_metadata(
    Session& session, const std::vector<std::string>& names) {
    MetadataRequest request;
    std::vector<MetadataRequest::MetadataRequestTopic> wanted;
    for (const std::string& name : names) wanted.emplace_back().name = name;
    request.topics = wanted;
    request.allow_auto_topic_creation = false;
    CO_TRY(const auto answer, co_await session.ask<MetadataResponse>(wire::Target::any(), request));
    std::vector<TopicState> states;
    for (const std::string& name : names) {
        for (const auto& topic : answer->topics) {
            if (topic.name != protocol::NullableString(name)) continue;
            if (topic.error_code != 0)
                co_return std::unexpected(answered_error(topic.error_code, ""));
            states.push_back(state_of(topic));
        }
    }
    co_return states;
}

/// Adds what a page tells.
Result<void> add_page(const DescribeTopicPartitionsResponse& page,
                      std::vector<TopicState>& states) {
    for (const auto& topic : page.topics) {
        if (topic.error_code != 0) return std::unexpected(answered_error(topic.error_code, ""));
        if (states.empty() || states.back().name != topic.name.value_or(""))
            states.push_back({std::string(topic.name.value_or("")), topic.topic_id, {}});
        for (const auto& partition : topic.partitions) {
            states.back().partitions.push_back(
                {partition.partition_index, partition.leader_id, ids(partition.replica_nodes),
                 ids(partition.isr_nodes), ids(partition.eligible_leader_replicas),
                 ids(partition.last_known_elr)});
        }
    }
    return ok();
}

}  // namespace

env::Task<Result<std::vector<std::string>>> list_topics(Session& session, bool with_internal) {
    MetadataRequest all;
    all.topics = std::nullopt;
    CO_TRY(const auto answer, co_await session.ask<MetadataResponse>(wire::Target::any(), all));
    std::vector<std::string> names;
    for (const auto& topic : answer->topics) {
        if (with_internal || !topic.is_internal) names.emplace_back(topic.name.value_or(""));
    }
    co_return names;
}

env::Task<Result<std::vector<TopicState>>> describe_topics(Session& session,
                                                           const std::vector<std::string>& names,
                                                           std::int32_t page) {
    CO_TRY(const auto version,
           co_await session.client().version_of(wire::Target::any(),
                                                protocol::ApiKey::describe_topic_partitions));
    if (!version) co_return co_await describe_by_metadata(session, names);
    std::vector<TopicState> states;
    if (names.empty()) co_return states;
    DescribeTopicPartitionsRequest request;
    std::vector<DescribeTopicPartitionsRequest::TopicRequest> topics;
    for (const std::string& name : names) topics.push_back({name});
    std::ranges::sort(topics, {}, &DescribeTopicPartitionsRequest::TopicRequest::name);
    request.topics = topics;
    request.response_partition_limit = page;
    std::string cursor_topic;
    for (;;) {
        CO_TRY(const auto answer,
               co_await session.ask<DescribeTopicPartitionsResponse>(wire::Target::any(), request));
        CO_TRY_VOID(add_page(*answer, states));
        if (!answer->next_cursor) break;
        cursor_topic = answer->next_cursor->topic_name;
        request.cursor.emplace() = {cursor_topic, answer->next_cursor->partition_index};
        const auto left = std::ranges::lower_bound(
            topics, cursor_topic, {}, &DescribeTopicPartitionsRequest::TopicRequest::name);
        request.topics = std::span(left, topics.end());
    }
    std::ranges::sort(states, {}, [&names](const TopicState& state) {
        return std::ranges::find(names, state.name) - names.begin();
    });
    co_return states;
}

env::Task<Result<std::map<std::string, TopicState>>> find_topics(
    Session& session, const std::vector<std::string>& names) {
    std::map<std::string, TopicState> found;
    if (names.empty()) co_return found;
    CO_TRY(const auto answer, co_await session.client().refresh(&names));
    for (const auto& topic : answer->topics) {
        const auto code = static_cast<ErrorCode>(topic.error_code);
        if (code == ErrorCode::unknown_topic_or_partition) continue;
        if (code != ErrorCode::none && code != ErrorCode::leader_not_available)
            co_return std::unexpected(answered_error(topic.error_code, ""));
        TopicState state = state_of(topic);
        found.emplace(state.name, std::move(state));
    }
    co_return found;
}

env::Task<Result<std::optional<TopicState>>> describe_topic(Session& session, Uuid id) {
    MetadataRequest request;
    std::array<MetadataRequest::MetadataRequestTopic, 1> wanted;
    wanted[0].topic_id = id;
    request.topics = wanted;
    request.allow_auto_topic_creation = false;
    CO_TRY(const auto answer, co_await session.ask<MetadataResponse>(wire::Target::any(), request));
    std::optional<TopicState> state;
    for (const auto& topic : answer->topics) {
        if (topic.error_code == 0 && topic.topic_id == id) state = state_of(topic);
    }
    co_return state;
}

}  // namespace milena::cli

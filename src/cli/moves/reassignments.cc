// SPDX-License-Identifier: Apache-2.0
// ListPartitionReassignments and AlterPartitionReassignments.
#include "moves/reassignments.h"

#include "milena/protocol/messages/alter_partition_reassignments.h"
#include "milena/protocol/messages/list_partition_reassignments.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::AlterPartitionReassignmentsRequest;
using protocol::AlterPartitionReassignmentsResponse;
using protocol::ListPartitionReassignmentsRequest;
using protocol::ListPartitionReassignmentsResponse;

constexpr std::int32_t kTimeoutMs = 60'000;

BrokerIds ids(const protocol::Array<std::int32_t>& from) {
    return {from.begin(), from.end()};
}

/// A request with what it views.
struct AlterRequest {
    AlterPartitionReassignmentsRequest request;
    std::vector<AlterPartitionReassignmentsRequest::ReassignableTopic> topics;
    std::vector<std::vector<AlterPartitionReassignmentsRequest::ReassignablePartition>> partitions;

    explicit AlterRequest(const Targets& targets) {
        for (const auto& [partition, replicas] : targets) {
            if (topics.empty() || topics.back().name != partition.topic) {
                topics.emplace_back().name = partition.topic;
                partitions.emplace_back();
            }
            auto& asked = partitions.back().emplace_back();
            asked.partition_index = partition.partition;
            asked.replicas = std::nullopt;
            if (replicas) asked.replicas = *replicas;
        }
        for (std::size_t i = 0; i < topics.size(); ++i) topics[i].partitions = partitions[i];
        request.topics = topics;
        request.timeout_ms = kTimeoutMs;
    }
};

}  // namespace

const Reassignment* find(const Reassignments& reassignments, const TopicPartition& partition) {
    const auto topic = reassignments.find(partition.topic);
    if (topic == reassignments.end()) return nullptr;
    const auto found = topic->second.find(partition.partition);
    return found == topic->second.end() ? nullptr : &found->second;
}

env::Task<Result<Reassignments>> list_reassignments(Session& session) {
    ListPartitionReassignmentsRequest request;
    request.timeout_ms = kTimeoutMs;
    CO_TRY(const auto answer,
           co_await session.ask<ListPartitionReassignmentsResponse>(session.decider(), request));
    if (answer->error_code != 0) {
        co_return std::unexpected(
            answered_error(answer->error_code, answer->error_message.value_or("")));
    }
    Reassignments reassignments;
    for (const auto& topic : answer->topics) {
        for (const auto& partition : topic.partitions) {
            reassignments[std::string(topic.name)][partition.partition_index] = {
                ids(partition.replicas), ids(partition.adding_replicas),
                ids(partition.removing_replicas)};
        }
    }
    co_return reassignments;
}

env::Task<Result<std::map<TopicPartition, Error>>> alter_reassignments(Session& session,
                                                                       const Targets& targets,
                                                                       bool may_change_factor) {
    AlterRequest asked(targets);
    asked.request.allow_replication_factor_change = may_change_factor;
    CO_TRY(const auto answer, co_await session.ask<AlterPartitionReassignmentsResponse>(
                                  session.decider(), asked.request));
    if (answer->error_code != 0) {
        co_return std::unexpected(
            answered_error(answer->error_code, answer->error_message.value_or("")));
    }
    std::map<TopicPartition, Error> refused;
    for (const auto& topic : answer->responses) {
        for (const auto& partition : topic.partitions) {
            if (partition.error_code == 0) continue;
            refused[{std::string(topic.name), partition.partition_index}] =
                answered_error(partition.error_code, partition.error_message.value_or(""));
        }
    }
    co_return refused;
}

}  // namespace milena::cli

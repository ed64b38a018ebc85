// SPDX-License-Identifier: Apache-2.0
// ElectLeaders.
#include "moves/elections.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "milena/protocol/messages/elect_leaders.h"
#include "moves/json_fields.h"
#include "text/exceptions.h"
#include "text/hash_order.h"

namespace milena::cli {
namespace {

using protocol::ElectLeadersRequest;
using protocol::ElectLeadersResponse;

constexpr std::int32_t kTimeoutMs = 30'000;

/// A request with what it views.
struct ElectRequest {
    ElectLeadersRequest request;
    std::vector<ElectLeadersRequest::TopicPartitions> topics;
    std::vector<std::vector<std::int32_t>> partitions;

    explicit ElectRequest(const WantedElection& election) {
        request.election_type = static_cast<std::int8_t>(election.type);
        request.timeout_ms = kTimeoutMs;
        request.topic_partitions = std::nullopt;
        if (!election.partitions) return;
        std::map<std::string_view, std::vector<std::int32_t>> by_topic;
        for (const TopicPartition& one : *election.partitions)
            by_topic[one.topic].push_back(one.partition);
        for (const auto& [topic, numbers] : by_topic) {
            topics.emplace_back().topic = topic;
            partitions.push_back(numbers);
        }
        for (std::size_t i = 0; i < topics.size(); ++i) topics[i].partitions = partitions[i];
        request.topic_partitions = topics;
    }
};

/// In the order of the tool.
std::vector<ElectionOutcome> outcomes_of(const ElectLeadersResponse& answer) {
    std::vector<ElectionOutcome> outcomes;
    std::vector<std::int32_t> hashes;
    for (const auto& topic : answer.replica_election_results) {
        for (const auto& partition : topic.partition_result) {
            auto& outcome = outcomes.emplace_back();
            outcome.partition = {std::string(topic.topic), partition.partition_id};
            if (partition.error_code != 0) {
                outcome.error =
                    answered_error(partition.error_code, partition.error_message.value_or(""));
            }
            hashes.push_back(java_hash(topic.topic, partition.partition_id));
        }
    }
    std::vector<ElectionOutcome> ordered;
    for (const std::size_t at : hash_order(hashes, kHashMapCapacity))
        ordered.push_back(outcomes[at]);
    return ordered;
}

}  // namespace

std::string_view name_of(ElectionType type) {
    return type == ElectionType::preferred ? "PREFERRED" : "UNCLEAN";
}

Result<std::vector<TopicPartition>> parse_partitions_to_elect(std::string_view text) {
    const auto json = parse_json(text);
    if (!json) return refuse_operation("Replica election data is empty");
    TRY_VOID(check_object(*json));
    const auto list = json->find("partitions");
    if (list == json->end())
        return refuse_operation("Replica election data is missing \"partitions\" field");
    TRY(const auto entries, objects_of(*list));
    std::vector<TopicPartition> partitions;
    std::vector<std::string> twice;
    for (const auto& entry : entries) {
        TopicPartition one;
        TRY(one.topic, text_field(entry, "topic"));
        TRY(one.partition, number_field(entry, "partition"));
        if (std::ranges::find(partitions, one) != partitions.end()) twice.push_back(one.text());
        partitions.push_back(std::move(one));
    }
    if (twice.empty()) return partitions;
    return refuse_operation(fmt::format("Replica election data contains duplicate partitions: [{}]",
                                        fmt::join(twice, ", ")));
}

env::Task<Result<std::vector<ElectionOutcome>>> elect_leaders(Session& session,
                                                              const WantedElection& election) {
    const ElectRequest asked(election);
    CO_TRY(const auto answer,
           co_await session.ask<ElectLeadersResponse>(session.decider(), asked.request));
    if (answer->error_code != 0) co_return std::unexpected(answered_error(answer->error_code, ""));
    co_return outcomes_of(*answer);
}

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// Where partitions are to be, as kafka-reassign-partitions reads it from JSON and writes it:
//
//   {"version": 1, "partitions": [
//     {"topic": "t", "partition": 0, "replicas": [1, 2], "log_dirs": ["any", "/data/2"]}]}
#pragma once

#include <compare>
#include <map>

#include "cluster/offsets.h"
#include "cluster/topic_states.h"

namespace milena::cli {

/// The directory of a replica that may lie in any.
inline constexpr std::string_view kAnyDirectory = "any";

/// One replica of a partition, ordered by broker first.
struct PartitionReplica {
    std::int32_t broker = 0;
    TopicPartition partition;

    auto operator<=>(const PartitionReplica&) const = default;
    /// "t-0-1": the broker last.
    std::string text() const;
};

using PartitionReplicas = std::map<TopicPartition, BrokerIds>;
using ReplicaDirectories = std::map<PartitionReplica, std::string>;

struct ReassignmentPlan {
    std::vector<std::pair<TopicPartition, BrokerIds>> partitions;  ///< as they are listed
    ReplicaDirectories directories;                                ///< of those that name one

    PartitionReplicas replicas() const { return {partitions.begin(), partitions.end()}; }
};

Result<ReassignmentPlan> parse_plan(std::string_view json);
/// An error if the plan can't be executed whatever the cluster is like: it is empty, or names
/// something twice.
Result<void> check_plan(const ReassignmentPlan& plan);

/// The plan as one line of JSON, by topic and partition.
std::string plan_json(const PartitionReplicas& replicas, const ReplicaDirectories& directories);

/// {"version": 1, "topics": [{"topic": "t"}]}: the topics.
Result<std::vector<std::string>> parse_topics_to_move(std::string_view json);
/// "1,2,3"
Result<BrokerIds> parse_broker_list(std::string_view text);

}  // namespace milena::cli

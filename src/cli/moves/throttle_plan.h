// SPDX-License-Identifier: Apache-2.0
// Which replicas and brokers are throttled while partitions move: who sends, who receives.
#pragma once

#include <set>

#include "moves/plan.h"
#include "moves/reassignments.h"

namespace milena::cli {

/// Brokers that have a partition, and those that are to get it.
struct PartitionMove {
    std::set<std::int32_t> sources;
    std::set<std::int32_t> destinations;
};

/// By topic and partition.
using MoveMap = std::map<std::string, std::map<std::int32_t, PartitionMove>>;

/// The moves that are under way and those of `proposed`. `current` has the replicas of each
/// partition that is proposed; a partition that moves already is read from where it was.
MoveMap moves_to(const Reassignments& under_way, const PartitionReplicas& proposed,
                 const PartitionReplicas& current);

/// The value of leader.replication.throttled.replicas and of follower.…: "0:1,0:2", a partition
/// and a broker each, for every topic of the map.
std::map<std::string, std::string> leader_throttles(const MoveMap& moves);
std::map<std::string, std::string> follower_throttles(const MoveMap& moves);

/// All that send or receive.
std::set<std::int32_t> moving_brokers(const MoveMap& moves);

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// The moves of partitions, and what is throttled because of them.
#include "moves/throttle_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace milena::cli {
namespace {

PartitionMove move_of(const Reassignment& reassignment) {
    PartitionMove move{{reassignment.replicas.begin(), reassignment.replicas.end()},
                       {reassignment.adding.begin(), reassignment.adding.end()}};
    for (const std::int32_t broker : reassignment.adding) move.sources.erase(broker);
    return move;
}

using Pick = std::set<std::int32_t> (*)(const PartitionMove& move);

std::map<std::string, std::string> throttles(const MoveMap& moves, Pick pick) {
    std::map<std::string, std::string> values;
    for (const auto& [topic, partitions] : moves) {
        // Sorted as texts, as the tool does.
        std::set<std::string> replicas;
        for (const auto& [partition, move] : partitions) {
            for (const std::int32_t broker : pick(move))
                replicas.insert(fmt::format("{}:{}", partition, broker));
        }
        values[topic] = fmt::format("{}", fmt::join(replicas, ","));
    }
    return values;
}

}  // namespace

MoveMap moves_to(const Reassignments& under_way, const PartitionReplicas& proposed,
                 const PartitionReplicas& current) {
    MoveMap moves;
    for (const auto& [topic, partitions] : under_way) {
        for (const auto& [partition, reassignment] : partitions)
            moves[topic][partition] = move_of(reassignment);
    }
    for (const auto& [partition, replicas] : proposed) {
        auto& of_topic = moves[partition.topic];
        PartitionMove move;
        if (const auto moving = of_topic.find(partition.partition); moving != of_topic.end()) {
            move.sources = moving->second.sources;
        } else if (const auto known = current.find(partition); known != current.end()) {
            move.sources.insert(known->second.begin(), known->second.end());
        }
        for (const std::int32_t broker : replicas) {
            if (!move.sources.contains(broker)) move.destinations.insert(broker);
        }
        of_topic[partition.partition] = std::move(move);
    }
    return moves;
}

std::map<std::string, std::string> leader_throttles(const MoveMap& moves) {
    return throttles(moves, [](const PartitionMove& move) { return move.sources; });
}

std::map<std::string, std::string> follower_throttles(const MoveMap& moves) {
    return throttles(moves, [](const PartitionMove& move) { return move.destinations; });
}

std::set<std::int32_t> moving_brokers(const MoveMap& moves) {
    std::set<std::int32_t> brokers;
    for (const auto& [topic, partitions] : moves) {
        for (const auto& [partition, move] : partitions) {
            brokers.insert(move.sources.begin(), move.sources.end());
            brokers.insert(move.destinations.begin(), move.destinations.end());
        }
    }
    return brokers;
}

}  // namespace milena::cli

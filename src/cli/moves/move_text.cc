// SPDX-License-Identifier: Apache-2.0
// Lines about moves.
#include "moves/move_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace milena::cli {

std::string progress_text(const std::map<TopicPartition, PartitionProgress>& partitions) {
    std::string text = "Status of partition reassignment:";
    for (const auto& [partition, progress] : partitions) {
        if (!progress.is_done) {
            text += fmt::format("\nReassignment of partition {} is still in progress.",
                                partition.text());
        } else if (progress.current == progress.target) {
            text += fmt::format("\nReassignment of partition {} is completed.", partition.text());
        } else {
            text += fmt::format(
                "\nThere is no active reassignment of partition {}, but replica set is {} rather "
                "than {}.",
                partition.text(), fmt::join(progress.current, ","),
                fmt::join(progress.target, ","));
        }
    }
    return text;
}

std::string place_text(const PartitionReplica& replica, const std::string& target,
                       const ReplicaPlace& place) {
    const std::string partition = replica.partition.text();
    if (place.current.empty()) {
        return fmt::format(
            "Partition {} is not found in any live log dir on broker {}. There is likely an "
            "offline log directory on the broker.",
            partition, replica.broker);
    }
    if (!place.future.empty() && place.future == target)
        return fmt::format("Reassignment of replica {} is still in progress.", replica.text());
    if (!place.future.empty()) {
        return fmt::format("Partition {} on broker {} is being moved to log dir {} instead of {}.",
                           partition, replica.broker, place.future, target);
    }
    if (place.current == target)
        return fmt::format("Reassignment of replica {} completed successfully.", replica.text());
    return fmt::format("Partition {} on broker {} is not being moved from log dir {} to {}.",
                       partition, replica.broker, place.current, target);
}

bool is_done(const ReplicaPlace& place) {
    return !place.current.empty() && place.future.empty();
}

std::string list_text(const Reassignments& reassignments) {
    std::string text;
    for (const auto& [topic, partitions] : reassignments) {
        for (const auto& [partition, reassignment] : partitions) {
            text += fmt::format("\n{}-{}: replicas: {}.", topic, partition,
                                fmt::join(reassignment.replicas, ","));
            if (!reassignment.adding.empty())
                text += fmt::format(" adding: {}.", fmt::join(reassignment.adding, ","));
            if (!reassignment.removing.empty())
                text += fmt::format(" removing: {}.", fmt::join(reassignment.removing, ","));
        }
    }
    return text.empty() ? "No partition reassignments found."
                        : "Current partition reassignments:" + text;
}

std::string_view plural(std::size_t count) {
    return count == 1 ? "" : "s";
}

std::string names_of(const std::vector<TopicPartition>& partitions) {
    std::vector<std::string> names;
    for (const TopicPartition& partition : partitions) names.push_back(partition.text());
    return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace milena::cli

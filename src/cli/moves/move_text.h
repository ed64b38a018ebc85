// SPDX-License-Identifier: Apache-2.0
// What kafka-reassign-partitions says of moves that are under way or done. Texts end without a
// line's end.
#pragma once

#include "moves/reassignments.h"
#include "moves/replica_directories.h"

namespace milena::cli {

/// A partition that was to be moved, and what has become of it.
struct PartitionProgress {
    BrokerIds current;
    BrokerIds target;
    bool is_done = false;
};

std::string progress_text(const std::map<TopicPartition, PartitionProgress>& partitions);

/// A replica that was to be moved to `target`, and where it is.
std::string place_text(const PartitionReplica& replica, const std::string& target,
                       const ReplicaPlace& place);
/// True if nothing is under way: the replica is there, or it is not on its way.
bool is_done(const ReplicaPlace& place);

std::string list_text(const Reassignments& reassignments);

/// What is put behind a noun of so many.
std::string_view plural(std::size_t count);

/// "t-0,t-1"
std::string names_of(const std::vector<TopicPartition>& partitions);

}  // namespace milena::cli

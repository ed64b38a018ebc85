// SPDX-License-Identifier: Apache-2.0
// Partitions get other replicas, or keep those that they had before a move began
// (AlterPartitionReassignments, KIP-455). A move begins by making the old and the new replicas
// members; it ends when the leader proposes an in-sync set that has all that come
// (partition_change.h).
#pragma once

#include "view.h"

namespace milena::controller {

/// In the order of the request. Of one partition: UNKNOWN_TOPIC_OR_PARTITION,
/// INVALID_REPLICA_ASSIGNMENT, INVALID_REPLICATION_FACTOR, NO_REASSIGNMENT_IN_PROGRESS; of all of
/// them POLICY_VIOLATION beyond what one decision may write.
Decision<Result<std::vector<ReassignedTopic>>> alter_reassignments(
    const View& view, const ReassignmentsRequest& request);

}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// The log directories that replicas lie in, and orders to move them (KIP-113).
#pragma once

#include <set>

#include "moves/plan.h"

namespace milena::cli {

/// Where a replica is; empty texts where it is nowhere.
struct ReplicaPlace {
    std::string current;
    std::string future;  ///< where it is being moved to
};

/// A place for each of the replicas. Each broker is asked; an error if one is not in the cluster.
env::Task<Result<std::map<PartitionReplica, ReplicaPlace>>> places_of(
    Session& session, const std::set<PartitionReplica>& replicas);

/// Orders each replica into its directory. Gives what each broker said of each replica.
env::Task<Result<std::map<PartitionReplica, ErrorCode>>> alter_directories(
    Session& session, const ReplicaDirectories& directories);

}  // namespace milena::cli

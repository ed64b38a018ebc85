// SPDX-License-Identifier: Apache-2.0
// Where partitions are now.
#pragma once

#include "moves/plan.h"

namespace milena::cli {

/// The topics, by name. An error names one that is not there.
env::Task<Result<std::map<std::string, TopicState>>> topics_that_must_be(
    Session& session, const std::vector<std::string>& names);

/// The replicas of each partition that `wanted` names. An error names those that are not there.
env::Task<Result<PartitionReplicas>> replicas_of(Session& session, const PartitionReplicas& wanted);

/// The directories of the replicas whose brokers are up. Afterwards the client knows the brokers.
env::Task<Result<ReplicaDirectories>> directories_of(Session& session,
                                                     const PartitionReplicas& replicas);

}  // namespace milena::cli

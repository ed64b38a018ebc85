// SPDX-License-Identifier: Apache-2.0
// Which partitions move from broker to broker, and orders to move them (KIP-455).
#pragma once

#include <map>

#include "cluster/offsets.h"
#include "cluster/topic_states.h"

namespace milena::cli {

/// What is being moved of a partition.
struct Reassignment {
    BrokerIds replicas;  ///< all that it has now
    BrokerIds adding;
    BrokerIds removing;
};

/// By topic and partition.
using Reassignments = std::map<std::string, std::map<std::int32_t, Reassignment>, std::less<>>;

/// What is being moved of the partition; null if nothing is.
const Reassignment* find(const Reassignments& reassignments, const TopicPartition& partition);

/// All that are under way.
env::Task<Result<Reassignments>> list_reassignments(Session& session);

/// The replicas that a partition is to have; nothing cancels its reassignment.
using Targets = std::map<TopicPartition, std::optional<BrokerIds>>;

/// Starts or cancels reassignments. Gives those that were refused, and why. UNSUPPORTED_VERSION if
/// replication factors are to stay and the cluster can't be told so.
env::Task<Result<std::map<TopicPartition, Error>>> alter_reassignments(Session& session,
                                                                       const Targets& targets,
                                                                       bool may_change_factor);

}  // namespace milena::cli

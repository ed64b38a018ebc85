// SPDX-License-Identifier: Apache-2.0
// What a broker tells the active controller of its partitions, as messages of the protocol, and the
// answers as plain structs.
#pragma once

#include "milena/controller/partition_requests.h"
#include "milena/protocol/arena.h"
#include "milena/protocol/messages/alter_partition.h"
#include "milena/protocol/messages/assign_replicas_to_dirs.h"

namespace milena::drivers {

/// Views of `request` and of memory of `arena`.
protocol::AlterPartitionRequest to_wire(protocol::Arena& arena,
                                        const controller::AlterPartitionRequest& request);
protocol::AssignReplicasToDirsRequest to_wire(protocol::Arena& arena,
                                              const controller::AssignReplicasRequest& request);

std::vector<controller::AlteredTopic> from_wire(const protocol::AlterPartitionResponse& answer);
std::vector<controller::AssignedReplica> from_wire(
    const protocol::AssignReplicasToDirsResponse& answer);

}  // namespace milena::drivers

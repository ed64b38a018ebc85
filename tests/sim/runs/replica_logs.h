// SPDX-License-Identifier: Apache-2.0
// Reads the logs of a partition's replicas from the disks of their machines, without their nodes
// knowing.
#pragma once

#include "sim/runs/server.h"

namespace milena::sim {

/// Of all servers that `image` names as replicas of `place`, as their processes see their files. A
/// server that has no log of it is there with no batches.
std::vector<ReplicaLog> replica_logs(const std::vector<std::unique_ptr<Server>>& servers,
                                     const metadata::Image& image, const Place& place);

}  // namespace milena::sim

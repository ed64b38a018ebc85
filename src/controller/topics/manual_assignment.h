// SPDX-License-Identifier: Apache-2.0
// Replicas that the client chose itself.
#pragma once

#include "milena/controller/placement.h"
#include "view.h"

namespace milena::controller {

/// INVALID_REPLICA_ASSIGNMENT, with a reason for the client, unless these are `count` (if given)
/// different registered brokers that take new replicas.
Result<void> check_replicas(const View& view, const Replicas& replicas,
                            std::optional<std::size_t> count);

/// The same, and one of them can lead `partition`.
Result<void> check_assignment(const View& view, PartitionIndex partition, const Replicas& replicas,
                              std::optional<std::size_t> count);

/// The replicas of partitions 0, 1, … . INVALID_REPLICA_ASSIGNMENT, with a reason for the client,
/// unless partitions are consecutive, all have as many replicas, and these are different registered
/// brokers of which one can lead.
Result<std::vector<Replicas>> check_assignments(const View& view,
                                                const std::vector<ManualAssignment>& assignments);

}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// Throttles of replication while partitions move: set on brokers and topics by
// IncrementalAlterConfigs, and taken away again.
#pragma once

#include "moves/throttle_plan.h"

namespace milena::cli {

/// Limits the replicas that `moves` names on the topics, and what the brokers send and receive for
/// them, to so many bytes a second. Says so. Brokers that are down are left as they are.
env::Task<Result<void>> throttle_moves(Session& session, const MoveMap& moves,
                                       std::int64_t bytes_per_s);
/// Limits moves between the directories of the brokers. Says so.
env::Task<Result<void>> throttle_directories(Session& session,
                                             const std::set<std::int32_t>& brokers,
                                             std::int64_t bytes_per_s);
/// Takes all of these limits from every broker of the cluster and every one of the plan, and from
/// the plan's topics. Says so. BROKER_NOT_AVAILABLE, when that is done, if one is down: it keeps
/// its own.
env::Task<Result<void>> clear_throttles(Session& session, const ReassignmentPlan& plan);

}  // namespace milena::cli

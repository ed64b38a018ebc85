// SPDX-License-Identifier: Apache-2.0
// kafka-reassign-partitions --execute and --cancel: begins what a plan says, and stops it.
#pragma once

#include "moves/plan.h"

namespace milena::cli {

struct ExecuteWish {
    bool is_additional = false;  ///< beside moves that are under way, or in their place
    bool may_change_factor = true;
    std::int64_t bytes_per_s = -1;            ///< of moves between brokers; −1: as it is
    std::int64_t directory_bytes_per_s = -1;  ///< of moves between directories; −1: as it is
    /// How long brokers that do not have a replica yet are asked to put it into its directory.
    env::Duration patience = std::chrono::seconds(10);
};

/// Prints where the partitions are, and what was begun. Gives the exit code.
env::Task<Result<int>> execute_plan(Session& session, const ReassignmentPlan& plan,
                                    const ExecuteWish& wish);

struct CancelWish {
    bool preserve_throttles = false;
    env::Duration patience = std::chrono::seconds(10);
};

/// Ends the moves of the plan that are under way, and takes throttles away. Gives the exit code.
env::Task<Result<int>> cancel_plan(Session& session, const ReassignmentPlan& plan,
                                   const CancelWish& wish);

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// kafka-reassign-partitions --verify: how far a plan is.
#pragma once

#include "moves/plan.h"

namespace milena::cli {

/// Says of each partition and replica of the plan whether it is where it is to be. When nothing
/// moves any more, throttles are taken away, unless `preserve_throttles`.
env::Task<Result<void>> verify_plan(Session& session, const ReassignmentPlan& plan,
                                    bool preserve_throttles);

}  // namespace milena::cli

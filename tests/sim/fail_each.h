// SPDX-License-Identifier: Apache-2.0
// Every error path once.
#pragma once

#include <functional>

#include "sim/world.h"

namespace milena::sim {

/// Walks every error path of `attempt` without a line of test for each: in a new world of one node
/// every time, lets the first of its calls to files and network fail, then the second, and so on
/// until a run in which none failed. Gives the number of runs. `attempt` looks at
/// `faults.has_fired()` to know what to expect.
std::uint64_t fail_each_call(std::uint64_t seed,
                             const std::function<void(World&, Node&, FaultPlan& faults)>& attempt);

}  // namespace milena::sim

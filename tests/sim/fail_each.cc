// SPDX-License-Identifier: Apache-2.0
// See Fail the n-th in the style guide: the run in which nothing failed is the last.
#include "sim/fail_each.h"

#include "milena/base/invariant.h"

namespace milena::sim {

std::uint64_t fail_each_call(std::uint64_t seed,
                             const std::function<void(World&, Node&, FaultPlan& faults)>& attempt) {
    constexpr std::uint64_t kRunsMax = 100'000;
    for (std::uint64_t run = 0; run < kRunsMax; ++run) {
        World world(seed);
        Node& node = world.add_node("n1");
        node.faults().fail_call(run);
        attempt(world, node, node.faults());
        if (!node.faults().has_fired()) return run + 1;
    }
    INVARIANT(false, "the attempt makes calls without end");
}

}  // namespace milena::sim

// SPDX-License-Identifier: Apache-2.0
// Machines whose disks are slow, or whose wall clock somebody sets.
#include "sim/faults/fault.h"

namespace milena::sim {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

void slow_the_disks(Stage& stage) {
    stage.any_server().machine().set_offload_delay(milliseconds(1), milliseconds(800));
}

void speed_up_the_disks(Stage& stage) {
    for (const auto& server : stage.servers)
        server->machine().set_offload_delay(microseconds(5), milliseconds(1));
}

/// Up to an hour ahead of, or behind, the others.
void set_a_wall_clock(Stage& stage) {
    const env::Duration skew = stage.random.between(env::Duration(0), seconds(7200));
    stage.any_server().machine().clock().set_wall_skew(skew - seconds(3600));
}

}  // namespace milena::sim

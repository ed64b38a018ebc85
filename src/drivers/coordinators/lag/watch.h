// SPDX-License-Identifier: Apache-2.0
// What the loop that watches groups' lag shares with who writes and with who scrapes.
#pragma once

#include "milena/drivers/group_lag.h"
#include "milena/env/pool_turns.h"
#include "remote_ends.h"
#include "watched_offsets.h"

namespace milena::drivers {

struct GroupLag::Watch {
    env::Guarded<WatchedOffsets> offsets{};
    RemoteEndsCounters remote{};
    /// One thread of the disk pool reads the store for it.
    env::PoolTurns reads{1};
};

}  // namespace milena::drivers

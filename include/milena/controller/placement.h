// SPDX-License-Identifier: Apache-2.0
// Where the replicas of new partitions go. Leaders go round the usable brokers, racks interleaved,
// so that no broker leads more than one partition more than another; each follower goes to a broker
// that is not fenced, in the rack that has fewest replicas of the partition, and has fewest
// replicas of the request, in this order of importance.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/result.h"
#include "milena/env/env.h"

namespace milena::controller {

struct UsableBroker {
    BrokerId id;
    /// Brokers without a rack share one.
    std::string rack;
    /// Takes a replica only if there are not enough others, and never leads at first.
    bool fenced = false;
};

/// A partition's replicas, the preferred leader first.
using Replicas = std::vector<BrokerId>;

/// Places `partitions` partitions of `replication_factor` replicas. INVALID_REPLICATION_FACTOR if
/// there are too few brokers, or all are fenced; `why` is for the client. Draws from `random` where
/// to begin.
Result<std::vector<Replicas>> place(std::vector<UsableBroker> brokers, std::int32_t partitions,
                                    std::int16_t replication_factor, env::Random& random);

}  // namespace milena::controller

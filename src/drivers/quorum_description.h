// SPDX-License-Identifier: Apache-2.0
// The quorum as its leader tells others of it (KIP-595, KIP-836).
#pragma once

#include "milena/controller/requests.h"
#include "milena/drivers/quorum.h"

namespace milena::drivers {

/// One moment by both clocks.
struct Moment {
    env::Instant instant;
    Timestamp wall;
};

/// On the leader, which has fetched from itself and caught up with itself `now`; `others` is what
/// it knows of those that fetch from it.
controller::QuorumDescription quorum_description(const QuorumStatus& status,
                                                 const std::vector<raft::ReplicaProgress>& others,
                                                 const Moment& now);

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// The fence that every request about a partition passes first (KIP-320): who asks names the leader
// epoch it believes in.
#pragma once

#include "milena/base/error_code.h"
#include "milena/base/ids.h"

namespace milena::replication {

/// FENCED_LEADER_EPOCH if `asked` is older than `current`, UNKNOWN_LEADER_EPOCH if it is newer than
/// what this node has heard of, none if they are equal or the asker named none (−1).
inline ErrorCode check_leader_epoch(LeaderEpoch current, LeaderEpoch asked) {
    if (asked == kNoLeaderEpoch || asked == current) return ErrorCode::none;
    return asked < current ? ErrorCode::fenced_leader_epoch : ErrorCode::unknown_leader_epoch;
}

}  // namespace milena::replication

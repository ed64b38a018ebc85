// SPDX-License-Identifier: Apache-2.0
// What reading needs to know of a replica, whatever its role: who leads, and the offsets that bound
// what may be seen.
#pragma once

#include "milena/replication/partition.h"

namespace milena::replication {

struct ReplicaView {
    bool leads = false;
    CurrentLeader leader;
    /// Where the leader's epoch began; 0 for a follower.
    Offset epoch_start;
    Offset log_start;
    Offset log_end;
    Offset high_watermark;
    /// Where the oldest transaction begins that is not decided, below the high watermark.
    Offset last_stable;
};

/// Who asks for offsets: −1 is a consumer, −2 a debugging consumer that any replica answers
/// (ListOffsets), others are brokers.
inline constexpr BrokerId kDebugConsumer{-2};

/// Where what `replica` may see ends: a follower the log's end, a consumer the high watermark, or
/// the last stable offset if it reads committed data only (KIP-98).
inline Offset visible_end(const ReplicaView& view, BrokerId replica, bool read_committed) {
    if (replica != kNoBroker) return view.log_end;
    return read_committed ? view.last_stable : view.high_watermark;
}

}  // namespace milena::replication

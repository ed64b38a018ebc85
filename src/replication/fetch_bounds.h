// SPDX-License-Identifier: Apache-2.0
// What a fetch may read of a partition, or why it may not: the rules of Fetch (key 1), pure but for
// questions to the log about its epochs.
#pragma once

#include <optional>

#include "replica_view.h"

namespace milena::replication {

struct FetchBounds {
    ErrorCode code = ErrorCode::none;
    /// Nothing at or after it is given; nothing at all if it is not above the asked offset.
    Offset upper;
    /// The asker's history differs from this log's: it has to cut back first (KIP-595).
    std::optional<storage::EpochEnd> diverging;
};

/// FENCED_LEADER_EPOCH and UNKNOWN_LEADER_EPOCH before NOT_LEADER_OR_FOLLOWER before
/// OFFSET_OUT_OF_RANGE, as in Kafka.
FetchBounds fetch_bounds(const FetchQuestion& question, const ReplicaView& view,
                         const storage::Log& log);

/// The greatest epoch at or below `epoch` and where it ended for this replica. Nothing if `epoch`
/// is above every epoch there has been.
std::optional<storage::EpochEnd> epoch_end(LeaderEpoch epoch, const ReplicaView& view,
                                           const storage::Log& log);

}  // namespace milena::replication

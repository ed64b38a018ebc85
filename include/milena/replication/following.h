// SPDX-License-Identifier: Apache-2.0
// What a follower asks its leader for, and what came back: between a partition's replica, which
// decides, and the fetcher, which talks (KIP-595, KIP-841).
#pragma once

#include <cstdint>
#include <optional>

#include "milena/base/ids.h"
#include "milena/storage/log.h"

namespace milena::replication {

/// What to ask the leader for.
struct FetchPlan {
    BrokerId leader = kNoBroker;
    Offset from;
    LeaderEpoch current_leader_epoch = kNoLeaderEpoch;
    LeaderEpoch last_fetched_epoch =
        kNoLeaderEpoch;  ///< of the last batch before `from`; −1 if there is none
    Offset log_start;

    bool operator==(const FetchPlan&) const = default;
};

/// The leader's answer to a plan, if it is no error.
struct FetchedPart {
    Offset high_watermark{-1};
    Offset log_start{-1};
    /// The logs part; then there are no records.
    std::optional<storage::EpochEnd> diverging;
    /// Batches from the plan's offset on; the last may be cut.
    BytesView records;
};

/// What the follower made of an answer.
enum class FollowStep : std::uint8_t {
    taken,         ///< the next plan can be asked for
    needs_disk,    ///< nothing yet: to be taken in the disk pool, in the turn of write_lane()
    needs_sync,    ///< taken; the next plan comes after a flush()
    needs_record,  ///< the log was cut: Replicas::checkpoint() before the next plan is asked for
};

}  // namespace milena::replication

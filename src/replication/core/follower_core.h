// SPDX-License-Identifier: Apache-2.0
// What a follower decides: where it fetches from, what an answer of its leader means (append,
// truncate, start over), and its high watermark. Pure, like LeaderCore; the fetcher carries the
// requests, the host has the log.
//
// Each fetch names the epoch of the last batch it has. A leader whose history differs answers with
// where that epoch ended for itself, and the follower cuts back to where both agree (KIP-595): only
// then may its log end count as "I have this".
#pragma once

#include <optional>
#include <string>

#include "core/leader_core.h"
#include "milena/replication/following.h"

namespace milena::replication {

/// The leader's answer to a FetchPlan, bytes aside.
struct FetchOutcome {
    Offset high_watermark{-1};
    Offset log_start{-1};
    std::optional<storage::EpochEnd> diverging;
    /// This log's own end_of_epoch() of the diverging epoch.
    std::optional<storage::EpochEnd> own_end_of_diverging;
};

/// What to do with the log before the next fetch; at most one of the first three.
struct FollowerStep {
    /// Append the fetched batches, then say appended().
    bool append = false;
    /// Cut the log, then say truncated().
    std::optional<Offset> truncate_to;
    /// Drop the log and begin at this offset, then say truncated().
    std::optional<Offset> restart_at;
    /// The leader's log starts later.
    std::optional<Offset> raise_start;
    /// News for those who read from this follower.
    bool high_watermark_moved = false;

    bool operator==(const FollowerStep&) const = default;
    std::string text() const;
};

class FollowerCore {
public:
    /// `last_epoch` is that of the log's last batch, −1 if it is empty.
    FollowerCore(const PartitionState& state, const LogEnds& log, LeaderEpoch last_epoch,
                 Offset high_watermark);

    BrokerId leader() const { return leader_; }
    /// How much is missing of what the leader has told to be committed.
    std::int64_t lag() const {
        return std::max<std::int64_t>(leader_high_watermark_ - log_.end, 0);
    }
    LeaderEpoch leader_epoch() const { return leader_epoch_; }
    Offset log_start_offset() const { return log_.start; }
    Offset log_end_offset() const { return log_.end; }
    Offset high_watermark() const { return high_watermark_; }
    /// The log lacks something that this epoch's leader calls committed, or nothing was heard of
    /// that.
    bool is_behind() const {
        return leader_high_watermark_ < Offset(0) || log_.end < leader_high_watermark_;
    }

    /// Another leader or epoch; answers to earlier plans mean nothing from now on.
    void update(const PartitionState& state);

    /// The next fetch, if there is a leader. The same until the log or the leadership has changed,
    /// so it may be sent again when nothing is heard.
    std::optional<FetchPlan> next_fetch() const;
    /// An answer to `plan` without error. Nothing is to be done for one that came too late: when
    /// the log or the leadership are no longer those it was asked for.
    FollowerStep fetched(const FetchPlan& plan, const FetchOutcome& outcome);
    /// `plan` was answered OFFSET_OUT_OF_RANGE, and the leader says where its log begins and ends.
    FollowerStep out_of_range(const FetchPlan& plan, Offset leader_start, Offset leader_end) const;

    /// The log ends at `end` now, with a batch of `last_epoch`; the high watermark follows what the
    /// answer said. True if it moved.
    bool appended(Offset end, LeaderEpoch last_epoch);
    /// The log was cut to [start, end). Below the high watermark only after an unclean election.
    void truncated(Offset start, Offset end, LeaderEpoch last_epoch);
    void log_start_raised(Offset start);

private:
    /// Equal plans mean equal logs: offset and epoch of the last batch name a history.
    bool is_current(const FetchPlan& plan) const { return next_fetch() == plan; }
    Offset common_end(const FetchOutcome& outcome) const;
    bool advance();

    BrokerId leader_;
    LeaderEpoch leader_epoch_;
    LogEnds log_;
    LeaderEpoch last_epoch_;
    Offset high_watermark_;
    /// The newest that this epoch's leader has told while both logs agreed; −1 before the first.
    Offset leader_high_watermark_{-1};
};

}  // namespace milena::replication

// SPDX-License-Identifier: Apache-2.0
// The voter sets that a log has named, by the place that named them. The last one holds, committed
// or not; truncation brings an earlier one back (KIP-853).
#pragma once

#include "milena/raft/core.h"

namespace milena::raft {

/// Adds what `batch` says about voters to `sets`, which is not empty; true if it said anything.
bool note_voters(const Batch& batch, std::vector<VotersAt>& sets);

class VoterHistory {
public:
    /// In order, at least one.
    explicit VoterHistory(std::vector<VotersAt> sets);

    const VotersAt& current() const { return sets_.back(); }
    /// What held in a log that ended at `end`; the oldest known if that is younger.
    const VotersAt& at(Offset end) const;
    /// The newest set of other voters than the current ones; null if none is known. Those before it
    /// were committed when it was appended.
    const VotersAt* before_change() const;
    void note(const Batch& batch) { note_voters(batch, sets_); }
    /// Forgets what was named at or after `end`.
    void truncate(Offset end);

private:
    std::vector<VotersAt> sets_;
};

}  // namespace milena::raft

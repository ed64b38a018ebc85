// SPDX-License-Identifier: Apache-2.0
// The voter sets that a log has named, by the place that named them. The last one holds, committed
// or not; truncation brings an earlier one back (KIP-853).
#pragma once

#include "milena/raft/core.h"

namespace milena::raft {

class VoterHistory {
public:
    /// In order, at least one.
    explicit VoterHistory(std::vector<VotersAt> sets);

    const VotersAt& current() const { return sets_.back(); }
    /// Takes what `batch` says about voters; true if it said anything.
    bool note(const Batch& batch);
    /// Forgets what was named at or after `end`; true if that was the current set.
    bool truncate(Offset end);

private:
    std::vector<VotersAt> sets_;
};

}  // namespace milena::raft

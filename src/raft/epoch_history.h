// SPDX-License-Identifier: Apache-2.0
// Where each epoch begins in a log. It answers the question on which log matching rests: how far do
// two logs agree? (KIP-101, KIP-595)
#pragma once

#include "milena/raft/core.h"

namespace milena::raft {

class EpochHistory {
public:
    EpochHistory() = default;
    /// Epochs and their starts both rise.
    explicit EpochHistory(std::vector<EpochStart> starts);

    /// Notes that the batch at `offset` was written in `epoch`, which is not below the last one.
    void note(LeaderEpoch epoch, Offset offset);
    /// Forgets what begins at or after `end`.
    void truncate(Offset end);
    /// The log begins at `start` now: forgets the epochs that end below it. The one before the
    /// first record stays: who has all that came before is asked for it.
    void truncate_start(Offset start);

    /// kNoLeaderEpoch if there is none.
    LeaderEpoch last_epoch() const;
    /// The greatest epoch at or below `epoch`, and its end in a log that ends at `log_end`.
    std::optional<EpochEnd> end_of(LeaderEpoch epoch, Offset log_end) const;

private:
    std::vector<EpochStart> starts_;
};

}  // namespace milena::raft

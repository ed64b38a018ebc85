// SPDX-License-Identifier: Apache-2.0
// Looks at what the raft core puts out and counts. It decides nothing, and changes nothing.
#pragma once

#include <deque>
#include <vector>

#include "milena/drivers/quorum_figures.h"
#include "milena/telemetry/recent.h"

namespace milena::drivers {

class QuorumCounter {
public:
    QuorumCounter(raft::ReplicaKey self, const raft::RecoveredState& recovered);

    /// After each step of the core, with what came of it.
    void note(const raft::Core& core, const raft::Output& output, env::Instant now);
    QuorumFigures figures(const raft::Core& core, env::Instant now) const;

private:
    void note_log(bool leads, const raft::Output& output, env::Instant now);
    void note_leader(const raft::Core& core, env::Instant now);

    /// An append of this leader that is not committed.
    struct Pending {
        Offset end;
        env::Instant since;
    };

    raft::ReplicaKey self_;
    raft::QuorumState persisted_;
    std::vector<raft::EpochStart> epochs_;  ///< the newest ones, at least the last
    std::deque<Pending> pending_;
    std::optional<env::Instant> leaderless_since_;
    telemetry::RecentValues commits_;
    telemetry::RecentValues elections_;
    telemetry::RecentValues appended_;
    telemetry::RecentValues fetched_;
};

}  // namespace milena::drivers

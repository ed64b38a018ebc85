// SPDX-License-Identifier: Apache-2.0
// What a replica of the metadata log counts of itself for /metrics, with Kafka's names in mind.
#pragma once

#include <optional>

#include "milena/raft/core.h"

namespace milena::drivers {

struct QuorumFigures {
    raft::Role role = raft::Role::unattached;
    bool is_voter = false;
    /// Whom this replica has voted for in its epoch; itself while it stands or leads.
    BrokerId vote = kNoBroker;
    LeaderEpoch log_end_epoch{-1};
    /// Voters of whom no address is known.
    std::size_t unknown_voters = 0;
    /// Who follows and does not vote, as the leader knows it; nothing elsewhere.
    std::optional<std::size_t> observers;

    // Of the last minute; nothing if there was none.

    /// From a leader's append to its commit.
    std::optional<double> commit_latency_avg_ms;
    std::optional<double> commit_latency_max_ms;
    /// From the loss of a leader, or the start, until the next is known.
    std::optional<double> election_latency_avg_ms;
    std::optional<double> election_latency_max_ms;
    /// Records a second that this replica appended as leader, and that it took over as follower.
    double append_records_rate = 0;
    double fetch_records_rate = 0;
};

}  // namespace milena::drivers

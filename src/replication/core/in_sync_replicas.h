// SPDX-License-Identifier: Apache-2.0
// Which replicas are in sync, as the controller has committed it and as the leader has asked for
// it. Between asking (AlterPartition) and knowing, either set may be the true one: the leader
// counts their union, the maximal set, so that no record is called committed that a replica of
// either set lacks. Part of the leader core; pure.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/ids.h"
#include "milena/replication/isr_proposal.h"

namespace milena::replication {

inline bool contains(const std::vector<BrokerId>& replicas, BrokerId replica) {
    return std::ranges::find(replicas, replica) != replicas.end();
}

class InSyncReplicas {
public:
    InSyncReplicas(std::vector<BrokerId> committed, PartitionEpoch epoch);

    const std::vector<BrokerId>& committed() const { return committed_; }
    PartitionEpoch partition_epoch() const { return partition_epoch_; }
    bool contains(BrokerId replica) const { return replication::contains(committed_, replica); }
    /// In the committed set or in the one asked for.
    bool maximal_contains(BrokerId replica) const {
        return contains(replica) || (proposed_ && replication::contains(*proposed_, replica));
    }
    /// The set asked for, if an answer is outstanding.
    const std::optional<std::vector<BrokerId>>& proposed() const { return proposed_; }

    /// A newer state of the partition, from the metadata or in answer to a proposal; ends a
    /// proposal, which was either this or is refused by now. False, and nothing changes, if it is
    /// not newer.
    bool commit(std::vector<BrokerId> replicas, PartitionEpoch epoch);

    /// One proposal at a time.
    void propose(std::vector<BrokerId> replicas);
    /// True once after propose() and once after each ask_again(): the proposal is to be sent.
    bool take_to_send();
    void ask_again();
    void withdraw() { proposed_.reset(); }

private:
    std::vector<BrokerId> committed_;
    PartitionEpoch partition_epoch_;
    std::optional<std::vector<BrokerId>> proposed_;
    bool to_send_ = false;
};

}  // namespace milena::replication

// SPDX-License-Identifier: Apache-2.0
// A leader's wish to change its in-sync set, and what the controller made of it (AlterPartition,
// key 56): between a partition's replica and the driver that carries it.
#pragma once

#include <string>
#include <vector>

#include "milena/base/ids.h"

namespace milena::replication {

/// A member of the set that is asked for.
struct InSyncMember {
    BrokerId broker;
    /// Of the process that has fetched; −1 if it did not say (KIP-903).
    BrokerEpoch broker_epoch{-1};

    bool operator==(const InSyncMember&) const = default;
};

struct IsrProposal {
    LeaderEpoch leader_epoch = kNoLeaderEpoch;
    /// The state it changes: the controller refuses it if the partition has moved on.
    PartitionEpoch partition_epoch;
    std::vector<InSyncMember> in_sync_replicas;

    bool operator==(const IsrProposal&) const = default;
    std::string text() const;
};

/// Why the controller's answer to a proposal is not the new set.
enum class IsrRefusal {
    /// Nobody knows whether it was taken (timeout, not the controller): ask again, the same.
    unknown,
    /// INELIGIBLE_REPLICA: it was not taken, and won't be while a replica that it added is fenced,
    /// or is not the process that fetched. Propose again after a pause: what was refused is tried
    /// one replica at a time then.
    ineligible,
    /// The partition has moved on (FENCED_LEADER_EPOCH, INVALID_UPDATE_VERSION, NEW_LEADER_ELECTED,
    /// …): the metadata
    /// will say to what; until then both sets count.
    superseded,
};

}  // namespace milena::replication

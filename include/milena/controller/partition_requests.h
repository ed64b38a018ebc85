// SPDX-License-Identifier: Apache-2.0
// What is asked of the controller about replicas of partitions: who is in sync, where they lie,
// where they are to go. Plain structs, as in requests.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/result.h"
#include "milena/base/uuid.h"

namespace milena::controller {

/// A replica that its leader wants to have in sync, and the epoch of the broker that it is on; −1
/// is not looked at (KIP-903).
struct InSyncReplica {
    BrokerId broker;
    BrokerEpoch broker_epoch{-1};
};

/// The in-sync set that a leader asks for.
struct ProposedPartition {
    PartitionIndex partition;
    LeaderEpoch leader_epoch;
    std::vector<InSyncReplica> in_sync_replicas{};
    /// 0 recovered, 1 recovering; the wire may carry others, which are refused.
    std::int8_t leader_recovery_state = 0;
    PartitionEpoch partition_epoch;
};

struct ProposedTopic {
    Uuid topic;
    std::vector<ProposedPartition> partitions{};
};

struct AlterPartitionRequest {
    BrokerId broker;
    BrokerEpoch epoch;
    std::vector<ProposedTopic> topics{};
};

/// What became of one proposal. Where code is none, the partition as it is then.
struct AlteredPartition {
    PartitionIndex partition;
    ErrorCode code = ErrorCode::none;
    BrokerId leader{};
    LeaderEpoch leader_epoch{};
    std::vector<BrokerId> in_sync_replicas{};
    bool is_recovering = false;
    PartitionEpoch partition_epoch{};

    bool operator==(const AlteredPartition&) const = default;
};

struct AlteredTopic {
    Uuid topic;
    std::vector<AlteredPartition> partitions{};

    bool operator==(const AlteredTopic&) const = default;
};

struct TopicReplicas {
    Uuid topic;
    std::vector<PartitionIndex> partitions{};

    bool operator==(const TopicReplicas&) const = default;
};

/// A log directory, and which of the broker's replicas lie in it.
struct DirectoryReplicas {
    Uuid directory;
    std::vector<TopicReplicas> topics{};

    bool operator==(const DirectoryReplicas&) const = default;
};

/// Where a broker's replicas lie (KIP-858).
struct AssignReplicasRequest {
    BrokerId broker;
    BrokerEpoch epoch;
    std::vector<DirectoryReplicas> directories{};
};

/// What became of one of them, in the order of the request.
struct AssignedReplica {
    Uuid directory;
    Uuid topic;
    PartitionIndex partition;
    ErrorCode code = ErrorCode::none;

    bool operator==(const AssignedReplica&) const = default;
};

/// Replicas that a partition is to have; nothing ends the move that is on its way (KIP-455).
struct Reassignment {
    PartitionIndex partition;
    std::optional<std::vector<BrokerId>> replicas{};
};

struct TopicReassignment {
    std::string topic;
    std::vector<Reassignment> partitions{};
};

struct ReassignmentsRequest {
    std::vector<TopicReassignment> topics{};
    /// Otherwise as many replicas as there are before.
    bool allow_replication_factor_change = true;
};

struct ReassignedPartition {
    PartitionIndex partition;
    ErrorCode code = ErrorCode::none;
    std::string why{};
};

struct ReassignedTopic {
    std::string topic;
    std::vector<ReassignedPartition> partitions{};
};

}  // namespace milena::controller

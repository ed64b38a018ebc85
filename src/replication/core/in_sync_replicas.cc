// SPDX-License-Identifier: Apache-2.0
// The committed in-sync set and the proposal that is open.
#include "core/in_sync_replicas.h"

#include <utility>

#include <fmt/ranges.h>

#include "milena/base/invariant.h"

namespace milena::replication {

std::string IsrProposal::text() const {
    std::vector<BrokerId> brokers;
    for (const InSyncMember& member : in_sync_replicas) brokers.push_back(member.broker);
    return fmt::format("alter partition epoch={} leader_epoch={} isr={}", partition_epoch,
                       leader_epoch, brokers);
}

InSyncReplicas::InSyncReplicas(std::vector<BrokerId> committed, PartitionEpoch epoch)
    : committed_(std::move(committed)), partition_epoch_(epoch) {}

bool InSyncReplicas::commit(std::vector<BrokerId> replicas, PartitionEpoch epoch) {
    if (epoch <= partition_epoch_) return false;
    committed_ = std::move(replicas);
    partition_epoch_ = epoch;
    withdraw();
    return true;
}

void InSyncReplicas::propose(std::vector<BrokerId> replicas) {
    INVARIANT(!proposed_, "a proposal is outstanding");
    proposed_ = std::move(replicas);
    to_send_ = true;
}

bool InSyncReplicas::take_to_send() {
    return proposed_ && std::exchange(to_send_, false);
}

void InSyncReplicas::ask_again() {
    to_send_ = proposed_.has_value();
}

}  // namespace milena::replication

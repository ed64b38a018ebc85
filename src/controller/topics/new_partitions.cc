// SPDX-License-Identifier: Apache-2.0
// Reads of a broker's registration what a new replica on it needs.
#include "topics/new_partitions.h"

#include <algorithm>

#include "partition/partition_change.h"

namespace milena::controller {

bool takes_new_replicas(const metadata::BrokerRegistration& broker) {
    const auto& cordoned = broker.cordoned_log_directories;
    if (!cordoned || broker.log_directories.empty()) return true;
    return std::ranges::any_of(broker.log_directories,
                               [&](Uuid directory) { return !contains(*cordoned, directory); });
}

std::vector<UsableBroker> usable_brokers(const View& view) {
    std::vector<UsableBroker> brokers;
    for (const auto& [id, broker] : view.image.cluster->brokers) {
        if (takes_new_replicas(broker))
            brokers.push_back({id, broker.rack.value_or(""), !view.image.cluster->is_active(id)});
    }
    return brokers;
}

metadata::PartitionRegistration new_partition(const View& view, const Replicas& replicas) {
    metadata::PartitionRegistration partition;
    std::vector<Uuid> directories;
    Replicas in_sync;
    for (const BrokerId replica : replicas) {
        directories.push_back(first_directory(view, replica));
        if (view.image.cluster->is_active(replica)) in_sync.push_back(replica);
    }
    partition.replicas = replicas;
    partition.directories = directories;
    partition.in_sync_replicas = in_sync;
    INVARIANT(!partition.in_sync_replicas.empty(), "a new partition that nobody can lead");
    partition.leader = partition.in_sync_replicas.front();
    partition.leader_epoch = LeaderEpoch(0);
    partition.partition_epoch = PartitionEpoch(0);
    return partition;
}

}  // namespace milena::controller

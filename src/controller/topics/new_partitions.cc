// SPDX-License-Identifier: Apache-2.0
// Reads of a broker's registration what a new replica on it needs.
#include "topics/new_partitions.h"

#include <algorithm>

namespace milena::controller {

/// Directory ids with a meaning (KIP-858).
static constexpr Uuid kMigrating{0, 0};
static constexpr Uuid kUnassigned{0, 1};

std::vector<UsableBroker> usable_brokers(const View& view) {
    std::vector<UsableBroker> brokers;
    for (const auto& [id, broker] : view.image.cluster->brokers) {
        const auto& cordoned = broker.cordoned_log_directories;
        const bool is_closed = cordoned && !broker.log_directories.empty() &&
                               std::ranges::all_of(broker.log_directories, [&](Uuid directory) {
                                   return contains(*cordoned, directory);
                               });
        if (!is_closed)
            brokers.push_back({id, broker.rack.value_or(""), !view.image.cluster->is_active(id)});
    }
    return brokers;
}

/// Where a broker will put a new replica, if that is known before it says so.
static Uuid first_directory(const View& view, BrokerId broker) {
    const auto& directories = view.image.cluster->find_broker(broker)->log_directories;
    if (directories.empty()) return kMigrating;
    return directories.size() == 1 ? directories.front() : kUnassigned;
}

metadata::PartitionRegistration new_partition(const View& view, const Replicas& replicas) {
    metadata::PartitionRegistration partition;
    partition.replicas = replicas;
    for (const BrokerId replica : replicas) {
        partition.directories.push_back(first_directory(view, replica));
        if (view.image.cluster->is_active(replica)) partition.in_sync_replicas.push_back(replica);
    }
    INVARIANT(!partition.in_sync_replicas.empty(), "a new partition that nobody can lead");
    partition.leader = partition.in_sync_replicas.front();
    partition.leader_epoch = LeaderEpoch(0);
    partition.partition_epoch = PartitionEpoch(0);
    return partition;
}

}  // namespace milena::controller

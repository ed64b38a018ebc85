// SPDX-License-Identifier: Apache-2.0
// Keeps the index in step with the image by looking only at what differs between two images.
#include "partition_index.h"

namespace milena::controller {

using metadata::PartitionRegistration;
using Partitions = metadata::ShardedMap<PartitionIndex, PartitionRegistration>;

template <class Each>
static void for_each_member(const PartitionRegistration& partition, const Each& each) {
    for (const BrokerId broker : partition.in_sync_replicas) each(broker);
    for (const BrokerId broker : partition.eligible_leader_replicas) each(broker);
}

static bool is_imbalanced(const PartitionRegistration& partition) {
    return partition.replicas.empty() || partition.leader != partition.replicas.front();
}

PartitionIndexes::PartitionIndexes(const metadata::TopicsImage& topics) {
    for (const auto& [id, topic] : topics.by_id) {
        for (const auto& [index, partition] : topic->partitions) add({id, index}, partition);
    }
}

void PartitionIndexes::add(const PartitionKey& key, const PartitionRegistration& partition) {
    for_each_member(partition, [&](BrokerId broker) { members_[broker].insert(key); });
    if (is_imbalanced(partition)) imbalanced_.insert(key);
    if (partition.leader == kNoBroker) {
        without_leader_.insert(key);
    } else {
        ++leader_counts_[partition.leader];
    }
}

void PartitionIndexes::remove(const PartitionKey& key, const PartitionRegistration& partition) {
    for_each_member(partition, [&](BrokerId broker) {
        const auto at = members_.find(broker);
        INVARIANT(at != members_.end(), "a partition that is not in its index");
        at->second.erase(key);
        if (at->second.empty()) members_.erase(at);
    });
    imbalanced_.erase(key);
    if (partition.leader == kNoBroker) {
        without_leader_.erase(key);
        return;
    }
    const auto at = leader_counts_.find(partition.leader);
    INVARIANT(at != leader_counts_.end(), "a leader that is not in its index");
    if (--at->second == 0) leader_counts_.erase(at);
}

/// Neighbours of what changed are told too, with the lists that they had.
void PartitionIndexes::change(const PartitionKey& key, const PartitionRegistration& old,
                              const PartitionRegistration& now) {
    if (old.partition_epoch == now.partition_epoch && old == now) return;
    remove(key, old);
    add(key, now);
}

void PartitionIndexes::update(const metadata::Update& update) {
    for (const Uuid& id : update.changes.topics) {
        const Partitions none;
        const auto before = update.before->topics->find(id);
        const auto after = update.after->topics->find(id);
        (before ? before->partitions : none)
            .for_each_difference(after ? after->partitions : none,
                                 [&](PartitionIndex index, const auto* old, const auto* now) {
                                     const PartitionKey key{id, index};
                                     if (old && now) {
                                         change(key, *old, *now);
                                     } else if (old) {
                                         remove(key, *old);
                                     } else {
                                         add(key, *now);
                                     }
                                 });
    }
}

const PartitionIndexes::Keys& PartitionIndexes::with_member(BrokerId broker) const {
    static const Keys kNone;
    const auto at = members_.find(broker);
    return at != members_.end() ? at->second : kNone;
}

}  // namespace milena::controller

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

static const PartitionIndexes::Keys& find(const std::map<BrokerId, PartitionIndexes::Keys>& all,
                                          BrokerId broker) {
    static const PartitionIndexes::Keys kNone;
    const auto at = all.find(broker);
    return at != all.end() ? at->second : kNone;
}

/// A broker without partitions has no entry, so that equal histories give equal indexes.
static void erase(std::map<BrokerId, PartitionIndexes::Keys>& all, BrokerId broker,
                  const PartitionKey& key) {
    const auto at = all.find(broker);
    INVARIANT(at != all.end(), "a partition that is not in its index");
    at->second.erase(key);
    if (at->second.empty()) all.erase(at);
}

PartitionIndexes::PartitionIndexes(const metadata::TopicsImage& topics) {
    for (const auto& [id, topic] : topics.by_id) {
        for (const auto& [index, partition] : topic->partitions) add({id, index}, partition);
    }
}

void PartitionIndexes::add(const PartitionKey& key, const PartitionRegistration& partition) {
    for_each_member(partition, [&](BrokerId broker) { members_[broker].insert(key); });
    leaders_[partition.leader].insert(key);
}

void PartitionIndexes::remove(const PartitionKey& key, const PartitionRegistration& partition) {
    for_each_member(partition, [&](BrokerId broker) { erase(members_, broker, key); });
    erase(leaders_, partition.leader, key);
}

void PartitionIndexes::update(const metadata::Update& update) {
    for (const Uuid& id : update.changes.topics) {
        const Partitions none;
        const auto before = update.before->topics->find(id);
        const auto after = update.after->topics->find(id);
        (before ? before->partitions : none)
            .for_each_difference(after ? after->partitions : none,
                                 [&](PartitionIndex index, const auto* old, const auto* now) {
                                     if (old) remove({id, index}, *old);
                                     if (now) add({id, index}, *now);
                                 });
    }
}

const PartitionIndexes::Keys& PartitionIndexes::with_member(BrokerId broker) const {
    return find(members_, broker);
}
const PartitionIndexes::Keys& PartitionIndexes::led_by(BrokerId broker) const {
    return find(leaders_, broker);
}

}  // namespace milena::controller

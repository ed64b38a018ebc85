// SPDX-License-Identifier: Apache-2.0
// Walks the partitions that a broker is a member of, or those that nobody leads.
#include "partitions.h"

#include "partition/partition_change.h"

namespace milena::controller {
namespace {

using metadata::PartitionRegistration;

bool is_in(const PartitionRegistration& partition, BrokerId broker,
           const std::vector<Uuid>& directories) {
    for (std::size_t i = 0; i < partition.replicas.size(); ++i) {
        if (partition.replicas[i] == broker) return contains(directories, partition.directories[i]);
    }
    return false;
}

/// Adapts the partitions in `keys`, those for which `wanted` says so.
template <class Wanted>
Records adapt(const View& view, const PartitionIndexes::Keys& keys, BrokerId broker,
              BrokerEvent event, const Wanted& wanted) {
    Records records;
    std::shared_ptr<const metadata::TopicImage> topic;
    std::optional<ElectionRules> rules;
    for (const PartitionKey& key : keys) {
        if (!topic || topic->id != key.topic) {
            topic = view.image.topics->find(key.topic);
            INVARIANT(topic != nullptr, "an indexed topic that is not in the image");
            rules.emplace(view, *topic);
        }
        const PartitionRegistration& now = topic->partitions.at(key.partition);
        if (!wanted(now)) continue;
        PartitionChange change(view, *rules, key, now);
        if (event == BrokerEvent::joins) {
            change.joins(broker);
        } else {
            change.leaves(broker, event == BrokerEvent::leaves_uncleanly);
        }
        change.settle(rules->automatic);
        if (auto record = change.record()) records.push_back(std::move(*record));
    }
    return records;
}

}  // namespace

Records partition_changes(const View& view, BrokerId broker, BrokerEvent event) {
    const auto& keys = event == BrokerEvent::joins ? view.partitions.without_leader()
                                                   : view.partitions.with_member(broker);
    return adapt(view, keys, broker, event, [&](const PartitionRegistration& partition) {
        return event != BrokerEvent::joins || contains(partition.replicas, broker);
    });
}

Records directory_failure_changes(const View& view, BrokerId broker,
                                  const std::vector<Uuid>& failed) {
    return adapt(
        view, view.partitions.with_member(broker), broker, BrokerEvent::leaves,
        [&](const PartitionRegistration& partition) { return is_in(partition, broker, failed); });
}

}  // namespace milena::controller

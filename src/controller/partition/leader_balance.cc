// SPDX-License-Identifier: Apache-2.0
// Walks the indexes of partitions that are not as they should be.
#include "partition/leader_balance.h"

#include "partition/partition_change.h"

namespace milena::controller {

/// Settles those of `keys` for which `wanted` says so.
template <class Wanted>
static Records settle(const View& view, const PartitionIndexes::Keys& keys, Election election,
                      const Wanted& wanted) {
    Records records;
    std::shared_ptr<const metadata::TopicImage> topic;
    std::optional<ElectionRules> rules;
    for (const PartitionKey& key : keys) {
        if (records.size() >= kElectionsMax) break;
        if (!topic || topic->id != key.topic) {
            topic = view.image.topics->find(key.topic);
            INVARIANT(topic != nullptr, "an indexed topic that is not in the image");
            rules.emplace(view, *topic);
        }
        if (!wanted(*rules)) continue;
        PartitionChange change(view, *rules, key, topic->partitions.at(key.partition));
        change.settle(election);
        if (auto record = change.record()) records.push_back(std::move(*record));
    }
    return records;
}

Records balance_leaders(const View& view) {
    return settle(view, view.partitions.imbalanced(), Election::preferred,
                  [](const ElectionRules&) { return true; });
}

Records elect_uncleanly(const View& view) {
    return settle(view, view.partitions.without_leader(), Election::unclean,
                  [](const ElectionRules& rules) { return rules.automatic == Election::unclean; });
}

}  // namespace milena::controller

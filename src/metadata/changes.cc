// SPDX-License-Identifier: Apache-2.0
// Names of what changed: gathered from deltas, or found between two images.
#include "milena/metadata/delta.h"

namespace milena::metadata {

void Changes::add(const Changes& more) {
    topics.insert(more.topics.begin(), more.topics.end());
    brokers.insert(more.brokers.begin(), more.brokers.end());
    controllers.insert(more.controllers.begin(), more.controllers.end());
    configs.insert(more.configs.begin(), more.configs.end());
    features |= more.features;
    client_quotas |= more.client_quotas;
    acls |= more.acls;
    scram |= more.scram;
    delegation_tokens |= more.delegation_tokens;
    producer_ids |= more.producer_ids;
}

/// Keys that only one of two ordered maps has, or that have different values.
template <class Map, class Key>
static void add_differing(const Map& before, const Map& after, std::set<Key>& keys) {
    for (const auto& [key, value] : before) {
        if (!after.contains(key)) keys.insert(key);
    }
    for (const auto& [key, value] : after) {
        const auto at = before.find(key);
        if (at == before.end() || !(at->second == value)) keys.insert(key);
    }
}

/// The same for sharded maps of pointers.
template <class Map, class Key>
static void add_differing_targets(const Map& before, const Map& after, std::set<Key>& keys) {
    before.for_each_difference(after, [&](const Key& key, const auto* old, const auto* now) {
        if (!old || !now || (*old != *now && !(**old == **now))) keys.insert(key);
    });
}

Changes difference(const Image& before, const Image& after) {
    const auto differ = [](const auto& a, const auto& b) { return a != b && !(*a == *b); };
    Changes changes;
    add_differing_targets(before.topics->by_id, after.topics->by_id, changes.topics);
    add_differing_targets(before.configs->by_resource, after.configs->by_resource, changes.configs);
    if (before.cluster != after.cluster) {
        before.cluster->brokers.for_each_difference(
            after.cluster->brokers, [&](BrokerId id, const auto* old, const auto* now) {
                if (!old || !now || !(*old == *now)) changes.brokers.insert(id);
            });
        add_differing(before.cluster->controllers, after.cluster->controllers, changes.controllers);
    }
    changes.features = differ(before.features, after.features);
    changes.client_quotas = differ(before.client_quotas, after.client_quotas);
    changes.acls = differ(before.acls, after.acls);
    changes.scram = differ(before.scram, after.scram);
    changes.delegation_tokens = differ(before.delegation_tokens, after.delegation_tokens);
    changes.producer_ids = before.next_producer_id != after.next_producer_id;
    return changes;
}

}  // namespace milena::metadata

// SPDX-License-Identifier: Apache-2.0
// Walks over sets in order.
#include "partitions.h"

#include <algorithm>
#include <iterator>

namespace milena::coordinator {
namespace {

/// Those of `owned` whose being in `kept` is as asked.
OwnedSet filtered(const OwnedSet& owned, const PartitionSet& kept, bool in_it) {
    OwnedSet out;
    auto at = kept.begin();
    for (const OwnedPartition& one : owned) {
        while (at != kept.end() && *at < one.at) ++at;
        const bool is_in_it = at != kept.end() && *at == one.at;
        if (is_in_it == in_it) out.push_back(one);
    }
    return out;
}

}  // namespace

PartitionSet partitions_of(const OwnedSet& owned) {
    PartitionSet out;
    out.reserve(owned.size());
    for (const OwnedPartition& one : owned) out.push_back(one.at);
    return out;
}

PartitionSet partitions_of(const std::vector<TopicPartitions>& topics) {
    PartitionSet out;
    for (const TopicPartitions& topic : topics) {
        for (const PartitionIndex index : topic.partitions) out.push_back({topic.topic, index});
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

std::vector<TopicPartitions> by_topic(const PartitionSet& partitions) {
    std::vector<TopicPartitions> out;
    for (const GroupPartition& one : partitions) {
        if (out.empty() || out.back().topic != one.topic)
            out.push_back({.topic = one.topic, .partitions = {}});
        out.back().partitions.push_back(one.index);
    }
    return out;
}

bool contains(const PartitionSet& all, const GroupPartition& one) {
    return std::ranges::binary_search(all, one);
}

const OwnedPartition* find(const OwnedSet& owned, const GroupPartition& one) {
    const auto found = std::ranges::lower_bound(owned, one, {}, &OwnedPartition::at);
    return found == owned.end() || found->at != one ? nullptr : &*found;
}

OwnedSet kept_of(const OwnedSet& owned, const PartitionSet& kept) {
    return filtered(owned, kept, true);
}

OwnedSet gone_of(const OwnedSet& owned, const PartitionSet& kept) {
    return filtered(owned, kept, false);
}

PartitionSet missing_of(const PartitionSet& wanted, const OwnedSet& owned) {
    PartitionSet out;
    std::ranges::set_difference(wanted, partitions_of(owned), std::back_inserter(out));
    return out;
}

bool share_any(const OwnedSet& owned, const PartitionSet& others) {
    return std::ranges::any_of(owned,
                               [&](const OwnedPartition& one) { return contains(others, one.at); });
}

OwnedSet joined(OwnedSet owned, const OwnedSet& more) {
    owned.insert(owned.end(), more.begin(), more.end());
    std::ranges::sort(owned, {}, &OwnedPartition::at);
    return owned;
}

}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// Which replicas this node has: an immutable table that every request looks into, replaced as a
// whole by the one who applies metadata. What did not change is the same memory in both.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "local_partition.h"
#include "milena/metadata/sharded_map.h"

namespace milena::replication {

struct Hosted {
    PartitionIndex index;
    /// What requests get.
    std::shared_ptr<Partition> partition;
    /// The same, if it has a log; null for one that is offline for want of a directory.
    std::shared_ptr<LocalPartition> local;
    /// Where its log lies, as an index into the node's directories.
    std::size_t directory = 0;
    /// Where the metadata says that it lies; zero if it does not say.
    Uuid assigned{};
};

struct HostedTopic {
    std::string name;
    std::vector<Hosted> partitions;  ///< by index

    std::vector<Hosted>::const_iterator place(PartitionIndex index) const {
        return std::ranges::lower_bound(partitions, index, {}, &Hosted::index);
    }
    const Hosted* find(PartitionIndex index) const {
        const auto at = place(index);
        return at != partitions.end() && at->index == index ? &*at : nullptr;
    }
    void set(Hosted hosted) {
        const auto at = partitions.begin() + (place(hosted.index) - partitions.begin());
        if (at != partitions.end() && at->index == hosted.index) {
            *at = std::move(hosted);
        } else {
            partitions.insert(at, std::move(hosted));
        }
    }
};

using HostedTopics = metadata::ShardedMap<Uuid, std::shared_ptr<const HostedTopic>>;

}  // namespace milena::replication

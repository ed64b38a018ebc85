// SPDX-License-Identifier: Apache-2.0
// Which partitions a broker has a part in, so that its coming and going costs what it leads and
// follows and not what exists. Made from images: it can be thrown away and built again.
#pragma once

#include <map>

#include "milena/metadata/loader.h"
#include "partition_keys.h"

namespace milena::controller {

class PartitionIndexes {
public:
    using Keys = PartitionKeys;

    PartitionIndexes() = default;
    explicit PartitionIndexes(const metadata::TopicsImage& topics);

    void update(const metadata::Update& update);

    /// Partitions that have the broker in sync, or eligible to lead.
    const Keys& with_member(BrokerId broker) const;
    bool leads_any(BrokerId broker) const { return leader_counts_.contains(broker); }
    const Keys& without_leader() const { return without_leader_; }
    /// Partitions that another than their first replica leads, or nobody.
    const Keys& imbalanced() const { return imbalanced_; }

    bool operator==(const PartitionIndexes&) const = default;

private:
    void add(const PartitionKey& key, const metadata::PartitionRegistration& partition);
    void remove(const PartitionKey& key, const metadata::PartitionRegistration& partition);
    void change(const PartitionKey& key, const metadata::PartitionRegistration& old,
                const metadata::PartitionRegistration& now);

    /// A broker without partitions has no entry, so that equal histories give equal indexes.
    std::map<BrokerId, Keys> members_;
    std::map<BrokerId, std::size_t> leader_counts_;
    Keys without_leader_;
    Keys imbalanced_;
};

}  // namespace milena::controller

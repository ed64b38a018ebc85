// SPDX-License-Identifier: Apache-2.0
// Which partitions a broker has a part in, so that its coming and going costs what it leads and
// follows and not what exists. Made from images: it can be thrown away and built again.
#pragma once

#include <map>
#include <set>

#include "milena/metadata/loader.h"

namespace milena::controller {

struct PartitionKey {
    Uuid topic;
    PartitionIndex partition;

    auto operator<=>(const PartitionKey&) const = default;
};

class PartitionIndexes {
public:
    using Keys = std::set<PartitionKey>;

    PartitionIndexes() = default;
    explicit PartitionIndexes(const metadata::TopicsImage& topics);

    void update(const metadata::Update& update);

    /// Partitions that have the broker in sync, or eligible to lead.
    const Keys& with_member(BrokerId broker) const;
    const Keys& led_by(BrokerId broker) const;
    const Keys& without_leader() const { return led_by(kNoBroker); }

    bool operator==(const PartitionIndexes&) const = default;

private:
    using ByBroker = std::map<BrokerId, Keys>;
    void add(const PartitionKey& key, const metadata::PartitionRegistration& partition);
    void remove(const PartitionKey& key, const metadata::PartitionRegistration& partition);

    ByBroker members_;
    ByBroker leaders_;
};

}  // namespace milena::controller

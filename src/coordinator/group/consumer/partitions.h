// SPDX-License-Identifier: Apache-2.0
// Sets of partitions as consumer groups handle them: flat, in order, each once, so that what two
// of them share or lack is one walk over both.
#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/uuid.h"
#include "milena/coordinator/group_requests.h"

namespace milena::coordinator {

struct GroupPartition {
    Uuid topic;
    PartitionIndex index;

    auto operator<=>(const GroupPartition&) const = default;
};

struct GroupPartitionHash {
    std::size_t operator()(const GroupPartition& at) const noexcept {
        return std::hash<Uuid>()(at.topic) ^
               (static_cast<std::size_t>(at.index.value) * 0x9E3779B97F4A7C15ULL);
    }
};

/// In order, each once.
using PartitionSet = std::vector<GroupPartition>;
/// Shared, for it is computed beside everybody and looked at often.
using SharedPartitions = std::shared_ptr<const PartitionSet>;

/// One that a member has, and the epoch of the group at which it was given to it: commits of an
/// older epoch do not count for it.
struct OwnedPartition {
    GroupPartition at;
    std::int32_t since_epoch = 0;

    bool operator==(const OwnedPartition&) const = default;
};
/// In order, each once.
using OwnedSet = std::vector<OwnedPartition>;

PartitionSet partitions_of(const OwnedSet& owned);
PartitionSet partitions_of(const std::vector<TopicPartitions>& topics);
std::vector<TopicPartitions> by_topic(const PartitionSet& partitions);

bool contains(const PartitionSet& all, const GroupPartition& one);
/// Null if it is not among them.
const OwnedPartition* find(const OwnedSet& owned, const GroupPartition& one);
/// Those of `owned` that are in `kept`, and those that are not.
OwnedSet kept_of(const OwnedSet& owned, const PartitionSet& kept);
OwnedSet gone_of(const OwnedSet& owned, const PartitionSet& kept);
/// Those of `wanted` that are not owned.
PartitionSet missing_of(const PartitionSet& wanted, const OwnedSet& owned);
bool share_any(const OwnedSet& owned, const PartitionSet& others);
OwnedSet joined(OwnedSet owned, const OwnedSet& more);

}  // namespace milena::coordinator

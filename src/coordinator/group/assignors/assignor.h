// SPDX-License-Identifier: Apache-2.0
// Who of a consumer group is to have which partitions. An assignor is a pure function: the same
// members and topics, the same assignment. Another one is a file and a row in assignors.cc.
//
// Of all that they promise the first counts most:
//   1. every partition of a topic that somebody subscribes to has one member, who subscribes to it
//   2. members have as many as each other, as far as their subscriptions allow
//   3. members keep what they had
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../consumer/partitions.h"

namespace milena::coordinator {

struct AssignorTopic {
    std::int32_t partitions = 0;
    /// Of each partition the racks of its replicas, in order; empty if nobody looks at racks.
    std::vector<std::vector<std::string>> racks;
};

struct AssignorMember {
    std::string id;
    std::optional<std::string> instance_id;
    std::optional<std::string> rack_id;
    /// In order. Shared, for most members of a group subscribe to the same.
    std::shared_ptr<const std::vector<Uuid>> topics;
    SharedPartitions had;  ///< null: nothing
};

struct AssignorInput {
    std::vector<AssignorMember> members;  ///< in the order of their ids
    std::map<Uuid, AssignorTopic> topics;
};

/// By member, in the order of the input.
using Assignment = std::vector<PartitionSet>;

struct Assignor {
    std::string_view name;
    Assignment (*assign)(const AssignorInput& input);
    /// Whether it wants to know of racks.
    bool uses_racks = false;
};

/// Null if there is none of the name.
const Assignor* find_assignor(std::string_view name);

/// Sticky and balanced over all partitions; a member gets what is near its rack where that costs
/// nothing of both.
Assignment assign_uniform(const AssignorInput& input);
/// A stretch of each topic for each member, so that partitions of one number meet at one member
/// (for joins). Keeps nothing.
Assignment assign_range(const AssignorInput& input);

}  // namespace milena::coordinator

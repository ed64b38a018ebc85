// SPDX-License-Identifier: Apache-2.0
// Kafka's assignor "range": of each topic, members in the order of their names get one range of
// partitions after the other; the first ones get one more where they don't come out even.
#pragma once

#include "groups/group_states.h"

namespace milena::cli {

/// Who has joined, as the coordinator tells the leader.
struct JoinedMember {
    std::string id;
    std::string instance_id{};  ///< empty unless it is a static member
    std::vector<std::string> topics;
};

/// What each member gets, by its id; all members are in it. Topics without a count are not there.
std::map<std::string, Assigned> assign_ranges(
    const std::vector<JoinedMember>& members,
    const std::map<std::string, std::int32_t>& partition_counts);

}  // namespace milena::cli

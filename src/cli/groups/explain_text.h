// SPDX-License-Identifier: Apache-2.0
// What a group is up to, in plain sentences: its state, who or what holds it up, and what to do.
// It tells what coordinators tell: Milena's say since when and why, others do not.
#pragma once

#include "groups/group_offsets.h"
#include "groups/group_states.h"

namespace milena::cli {

/// The first and the next offset of partitions that are there.
struct PartitionEnds {
    std::map<TopicPartition, std::int64_t> earliest;
    std::map<TopicPartition, std::int64_t> latest;
};

std::string explain_group(const GroupDescription& group, const Committed& committed,
                          const PartitionEnds& ends);

/// Of a name that no group has; `existing` are those of all groups.
std::string explain_missing_group(const std::string& name,
                                  const std::vector<std::string>& existing);

}  // namespace milena::cli

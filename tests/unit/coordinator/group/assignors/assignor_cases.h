// SPDX-License-Identifier: Apache-2.0
// Inputs of assignors, and what holds of every assignment.
#pragma once

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "group/assignors/assignor.h"

namespace milena::coordinator::test {

inline Uuid topic_id(std::uint64_t number) {
    return {1, number};
}

inline std::shared_ptr<const std::vector<Uuid>> topics(const std::vector<std::uint64_t>& numbers) {
    std::vector<Uuid> ids;
    for (const std::uint64_t number : numbers) ids.push_back(topic_id(number));
    return std::make_shared<const std::vector<Uuid>>(std::move(ids));
}

inline AssignorMember member(std::string id, const std::vector<std::uint64_t>& numbers) {
    AssignorMember out;
    out.id = std::move(id);
    out.topics = topics(numbers);
    return out;
}

inline AssignorInput input(std::vector<AssignorMember> members,
                           const std::vector<std::int32_t>& partitions) {
    AssignorInput out;
    out.members = std::move(members);
    for (std::size_t i = 0; i < partitions.size(); ++i)
        out.topics[topic_id(i)].partitions = partitions[i];
    return out;
}

/// Members have had what they were assigned.
inline void keep(AssignorInput& in, const Assignment& assignment) {
    for (std::size_t i = 0; i < in.members.size(); ++i)
        in.members[i].had = std::make_shared<const PartitionSet>(assignment[i]);
}

/// Each partition that somebody subscribes to has one member, who does.
inline void check_all_assigned(const AssignorInput& in, const Assignment& assignment) {
    std::set<GroupPartition> wanted;
    for (const AssignorMember& one : in.members) {
        for (const Uuid topic : *one.topics) {
            const auto known = in.topics.find(topic);
            if (known == in.topics.end()) continue;
            for (std::int32_t i = 0; i < known->second.partitions; ++i)
                wanted.insert({topic, PartitionIndex(i)});
        }
    }
    std::set<GroupPartition> given;
    for (std::size_t i = 0; i < assignment.size(); ++i) {
        EXPECT_TRUE(std::ranges::is_sorted(assignment[i]));
        for (const GroupPartition& one : assignment[i]) {
            EXPECT_TRUE(given.insert(one).second) << "two have " << one.index.value;
            EXPECT_TRUE(std::ranges::binary_search(*in.members[i].topics, one.topic));
        }
    }
    EXPECT_EQ(given, wanted);
}

}  // namespace milena::coordinator::test

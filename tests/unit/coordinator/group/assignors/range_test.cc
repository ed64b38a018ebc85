// SPDX-License-Identifier: Apache-2.0
// Stretches of each topic.
#include "assignor_cases.h"

namespace milena::coordinator::test {
namespace {

std::vector<std::int32_t> indexes(const PartitionSet& all, std::uint64_t topic) {
    std::vector<std::int32_t> out;
    for (const GroupPartition& one : all) {
        if (one.topic == topic_id(topic)) out.push_back(one.index.value);
    }
    return out;
}

TEST(Range, PartitionsOfOneNumberMeet) {
    const auto in = input({member("a", {0, 1}), member("b", {0, 1}), member("c", {0, 1})}, {7, 7});
    const auto assignment = assign_range(in);
    check_all_assigned(in, assignment);
    using Indexes = std::vector<std::int32_t>;
    for (const std::uint64_t topic : {0U, 1U}) {
        EXPECT_EQ(indexes(assignment[0], topic), (Indexes{0, 1, 2}));
        EXPECT_EQ(indexes(assignment[1], topic), (Indexes{3, 4}));
        EXPECT_EQ(indexes(assignment[2], topic), (Indexes{5, 6}));
    }
}

TEST(Range, OnlySubscribersCount) {
    const auto in = input({member("a", {0}), member("b", {0, 1}), member("c", {5})}, {3, 3});
    const auto assignment = assign_range(in);
    check_all_assigned(in, assignment);
    EXPECT_EQ(indexes(assignment[1], 1).size(), 3U);
    EXPECT_TRUE(assignment[2].empty());
}

TEST(Range, StaticMembersStandByTheirInstances) {
    auto in = input({member("x", {0}), member("y", {0}), member("z", {0})}, {3});
    in.members[0].instance_id = "2";
    in.members[2].instance_id = "1";
    const auto assignment = assign_range(in);
    EXPECT_EQ(indexes(assignment[2], 0), (std::vector<std::int32_t>{0}));
    EXPECT_EQ(indexes(assignment[0], 0), (std::vector<std::int32_t>{1}));
    EXPECT_EQ(indexes(assignment[1], 0), (std::vector<std::int32_t>{2}));
}

}  // namespace
}  // namespace milena::coordinator::test

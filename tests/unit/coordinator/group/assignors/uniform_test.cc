// SPDX-License-Identifier: Apache-2.0
// Members of one subscription: as many as each other, what they had, and near their racks.
#include "assignor_cases.h"

namespace milena::coordinator::test {
namespace {

PartitionSet of(std::uint64_t topic, const std::vector<std::int32_t>& indexes) {
    PartitionSet out;
    for (const std::int32_t index : indexes)
        out.push_back({topic_id(topic), PartitionIndex(index)});
    return out;
}

TEST(Uniform, GivesStretches) {
    const auto in = input({member("a", {0}), member("b", {0})}, {5});
    const auto assignment = assign_uniform(in);
    check_all_assigned(in, assignment);
    EXPECT_EQ(assignment[0], of(0, {0, 1, 4}));
    EXPECT_EQ(assignment[1], of(0, {2, 3}));
}

TEST(Uniform, TakesNoMoreThanANewMemberNeeds) {
    auto in = input({member("a", {0}), member("b", {0})}, {6});
    const auto before = assign_uniform(in);
    keep(in, before);
    in.members.push_back(member("c", {0}));
    const auto after = assign_uniform(in);
    check_all_assigned(in, after);
    EXPECT_EQ(after[0], of(0, {0, 1}));
    EXPECT_EQ(after[1], of(0, {3, 4}));
    EXPECT_EQ(after[2], of(0, {2, 5}));
}

TEST(Uniform, PartitionsAndTopicsThatAreGoneAreNoOnes) {
    auto in = input({member("a", {0, 1}), member("b", {0, 1})}, {2, 2});
    keep(in, assign_uniform(in));
    in.topics.erase(topic_id(1));
    in.topics[topic_id(0)].partitions = 1;
    const auto after = assign_uniform(in);
    check_all_assigned(in, after);
}

TEST(Uniform, NobodyAndNothing) {
    EXPECT_TRUE(assign_uniform(input({}, {3})).empty());
    const auto assignment = assign_uniform(input({member("a", {})}, {3}));
    EXPECT_TRUE(assignment[0].empty());
}

TEST(Uniform, GivesWhatIsNear) {
    auto in = input({member("a", {0}), member("b", {0})}, {4});
    in.members[0].rack_id = "x";
    in.members[1].rack_id = "y";
    in.topics[topic_id(0)].racks = {{"y"}, {"x"}, {"y"}, {"x"}};
    const auto assignment = assign_uniform(in);
    EXPECT_EQ(assignment[0], of(0, {1, 3}));
    EXPECT_EQ(assignment[1], of(0, {0, 2}));
}

TEST(Uniform, IsBalancedBeforeItIsNear) {
    auto in = input({member("a", {0}), member("b", {0})}, {4});
    in.members[0].rack_id = "x";
    in.members[1].rack_id = "y";
    in.topics[topic_id(0)].racks = {{"x"}, {"x"}, {"x"}, {"x"}};
    const auto assignment = assign_uniform(in);
    check_all_assigned(in, assignment);
    EXPECT_EQ(assignment[0].size(), 2U);
}

TEST(Uniform, FiveHundredMembersAndTenThousandPartitions) {
    std::vector<AssignorMember> members;
    for (int i = 0; i < 500; ++i) members.push_back(member("m" + std::to_string(1000 + i), {0, 1}));
    auto in = input(std::move(members), {5'000, 5'000});
    const auto before = assign_uniform(in);
    keep(in, before);
    in.members.push_back(member("n", {0, 1}));
    const auto after = assign_uniform(in);
    check_all_assigned(in, after);
    std::size_t moved = after.back().size();
    for (std::size_t i = 0; i < before.size(); ++i) {
        for (const GroupPartition& one : after[i]) moved += contains(before[i], one) ? 0 : 1;
        EXPECT_NEAR(static_cast<double>(after[i].size()), 20, 1);
    }
    EXPECT_EQ(moved, after.back().size());
}

}  // namespace
}  // namespace milena::coordinator::test

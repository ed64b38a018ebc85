// SPDX-License-Identifier: Apache-2.0
// Members of different subscriptions: everything is assigned, nobody can be relieved by a move, and
// what is the same again moves nothing.
#include "group/assignors/mixed.h"

#include "assignor_cases.h"
#include "sim/random.h"

namespace milena::coordinator::test {
namespace {

/// No partition could go from one member to another that has two less.
void check_balanced(const AssignorInput& in, const Assignment& assignment) {
    for (std::size_t i = 0; i < assignment.size(); ++i) {
        for (const GroupPartition& one : assignment[i]) {
            for (std::size_t j = 0; j < assignment.size(); ++j) {
                if (!std::ranges::binary_search(*in.members[j].topics, one.topic)) continue;
                EXPECT_LE(assignment[i].size(), assignment[j].size() + 1);
            }
        }
    }
}

TEST(Mixed, WhoHasNoChoiceIsServedFirst) {
    const auto in =
        input({member("a", {0}), member("b", {0, 1}), member("c", {0, 1, 2})}, {5, 4, 3});
    const auto assignment = assign_uniform(in);
    check_all_assigned(in, assignment);
    for (const PartitionSet& one : assignment) EXPECT_EQ(one.size(), 4U);
}

TEST(Mixed, RandomSubscriptionsAreServedInBalanceAndKept) {
    sim::SeededRandom random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<AssignorMember> members;
        const auto count = 1 + random.below(6);
        for (std::uint64_t i = 0; i < count; ++i) {
            std::vector<std::uint64_t> numbers;
            for (std::uint64_t topic = 0; topic < 4; ++topic) {
                if (random.chance(0.5)) numbers.push_back(topic);
            }
            members.push_back(member("m" + std::to_string(i), numbers));
        }
        auto in = input(std::move(members), {3, 1, 6, 4});
        const auto first = assign_mixed(in);
        check_all_assigned(in, first);
        check_balanced(in, first);
        keep(in, first);
        EXPECT_EQ(assign_mixed(in), first);
        in.topics[topic_id(0)].partitions = 8;
        const auto second = assign_mixed(in);
        check_all_assigned(in, second);
        check_balanced(in, second);
    }
}

}  // namespace
}  // namespace milena::coordinator::test

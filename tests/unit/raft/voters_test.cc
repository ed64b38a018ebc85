// SPDX-License-Identifier: Apache-2.0
// Majorities, and who belongs to a set of voters.
#include "milena/raft/voters.h"

#include <gtest/gtest.h>

namespace milena::raft {
namespace {

Voter voter(int id, std::uint64_t directory) {
    return {.key = {BrokerId(id), {0, directory}}, .endpoints = {}};
}

TEST(Voters, AMajorityIsMoreThanHalf) {
    const std::vector<std::size_t> majorities{1, 2, 2, 3, 3};
    std::vector<Voter> voters;
    for (const std::size_t majority : majorities) {
        voters.push_back(voter(static_cast<int>(voters.size()) + 1, 0));
        EXPECT_EQ(VoterSet(voters).majority(), majority) << voters.size();
    }
}

TEST(Voters, AReplicaWithAnotherDirectoryIsNoVoter) {
    const VoterSet set({voter(1, 10)});
    EXPECT_TRUE(set.contains({BrokerId(1), {0, 10}}));
    EXPECT_FALSE(set.contains({BrokerId(1), {0, 11}}));
    EXPECT_FALSE(set.contains({BrokerId(2), {0, 10}}));
    EXPECT_FALSE(set.is_only({BrokerId(1), {0, 11}}));
}

TEST(Voters, ADirectoryThatOneSideDoesNotKnowDoesNotMatter) {
    EXPECT_TRUE(VoterSet({voter(1, 0)}).contains({BrokerId(1), {0, 10}}));
    EXPECT_TRUE(VoterSet({voter(1, 10)}).contains({BrokerId(1), {}}));
}

TEST(Voters, OneOfTwoIsNotAll) {
    EXPECT_TRUE(VoterSet({voter(1, 10)}).is_only({BrokerId(1), {0, 10}}));
    EXPECT_FALSE(VoterSet({voter(1, 10), voter(2, 20)}).is_only({BrokerId(1), {0, 10}}));
    EXPECT_FALSE(VoterSet().is_only({BrokerId(1), {0, 10}}));
}

}  // namespace
}  // namespace milena::raft

// SPDX-License-Identifier: Apache-2.0
// The checkers of groups: each is given a history that is sound, and ones with the faults that it
// is there to find.
#include <gtest/gtest.h>

#include "sim/checkers/checker.h"

namespace milena::sim {
namespace {

env::Instant at(int seconds) {
    return env::Instant(std::chrono::seconds(seconds));
}

CommitStep commit(int asked, int done, std::int64_t offset, std::int32_t generation = 1) {
    return {.asked = at(asked), .done = at(done), .offset = offset, .generation = generation};
}

/// Two members, one partition each, and three commits of which one was not answered.
class GroupCheckersTest : public testing::Test {
protected:
    GroupCheckersTest() : group(history.groups["g"]), partition(group.partitions[0]) {
        partition.commits = {
            commit(1, 2, 5), {.asked = at(3), .offset = 6, .generation = 1}, commit(7, 8, 7, 2)};
        // While a commit is under way both are true.
        partition.told = {{at(0), at(1), -1}, {at(1), at(2), -1}, {at(2), at(3), 5},
                          {at(4), at(5), 5},  {at(5), at(6), 6},  {at(9), at(9), 7}};
        group.assignments = {{1, "a", {0}}, {1, "b", {1}}, {1, "a", {0}}, {2, "b", {0}}};
        for (CommitStep& one : partition.commits) one.member = one.generation == 1 ? "a" : "b";
        group.holds = {hold(0, "a", 1, 4), hold(1, "b", 1, 9), hold(0, "b", 6, 10)};
    }
    static GroupHistory::Hold hold(std::int32_t index, std::string member, int since, int until) {
        return {.partition = index,
                .member = std::move(member),
                .taken = at(since),
                .since = at(since),
                .until = at(until)};
    }
    std::vector<std::string> violated() const {
        std::vector<std::string> found;
        for (const Violation& one : judge(history)) found.emplace_back(one.invariant);
        return found;
    }

    using Invariants = std::vector<std::string>;
    History history;
    GroupHistory& group;
    GroupHistory::Partition& partition;
};

TEST_F(GroupCheckersTest, ASoundHistoryIsSound) {
    EXPECT_EQ(violated(), Invariants());
}

TEST_F(GroupCheckersTest, AnOffsetThatIsToldAsNoneIsFound) {
    partition.told.push_back({at(2), at(4), -1});
    EXPECT_EQ(violated(), Invariants{"I11"});
}

TEST_F(GroupCheckersTest, AnOffsetThatGoesBackIsFound) {
    partition.told.push_back({at(8), at(9), 6});
    EXPECT_EQ(violated(), Invariants{"I11"});
}

TEST_F(GroupCheckersTest, AnOffsetThatNobodyCommittedIsFound) {
    partition.told.push_back({at(9), at(10), 8});
    EXPECT_EQ(violated(), Invariants{"I11"});
}

TEST_F(GroupCheckersTest, ACommitOfAnEarlierOwnerIsFound) {
    group.holds.clear();
    partition.commits.push_back(commit(9, 10, 6, 1));
    EXPECT_EQ(violated(), Invariants{"I12"});
}

TEST_F(GroupCheckersTest, ARefusedCommitOfAnEarlierOwnerIsNone) {
    partition.commits.push_back({.asked = at(9), .offset = 6, .generation = 1});
    EXPECT_EQ(violated(), Invariants());
}

TEST_F(GroupCheckersTest, APartitionWithTwoOwnersIsFound) {
    group.assignments.push_back({2, "a", {1, 0}});
    EXPECT_EQ(violated(), Invariants{"I12"});
}

TEST_F(GroupCheckersTest, APartitionThatTwoHaveAtATimeIsFound) {
    group.holds.push_back(hold(0, "a", 9, 11));
    EXPECT_EQ(violated(), Invariants{"I12"});
}

TEST_F(GroupCheckersTest, ALongHoldIsNotForgottenOverAShorterOne) {
    partition = {};
    group.holds = {hold(0, "a", 1, 20), hold(0, "a", 2, 3), hold(0, "b", 15, 16)};
    EXPECT_EQ(violated(), Invariants{"I12"});
}

TEST_F(GroupCheckersTest, AHoldThatIsNotSureDisturbsNobody) {
    group.holds.push_back(hold(0, "c", 7, 7));
    EXPECT_EQ(violated(), Invariants());
}

TEST_F(GroupCheckersTest, ACommitOfWhatAnotherHasByNowIsFound) {
    // The offset alone would not tell.
    CommitStep late = commit(7, 9, 7);
    late.member = "a";
    partition.commits.push_back(late);
    EXPECT_EQ(violated(), Invariants{"I12"});
}

TEST_F(GroupCheckersTest, ACommitOfWhatHasComeBackIsNone) {
    group.holds.back().until = at(9);
    group.holds.push_back(hold(0, "a", 10, 12));
    CommitStep late = commit(11, 12, 8, 3);
    late.member = "a";
    partition.commits.push_back(late);
    EXPECT_EQ(violated(), Invariants());
}

TEST_F(GroupCheckersTest, ACommitOfWhatWasGivenUpIsFound) {
    CommitStep late = commit(5, 6, 7);
    late.member = "a";
    late.is_stale = true;
    partition.commits.push_back(late);
    EXPECT_EQ(violated(), Invariants{"I12"});
}

TEST_F(GroupCheckersTest, ACommitOfWhatWasGivenUpThatIsRefusedIsNone) {
    partition.commits.push_back({.asked = at(5), .offset = 9, .member = "a", .is_stale = true});
    EXPECT_EQ(violated(), Invariants());
}

}  // namespace
}  // namespace milena::sim

// SPDX-License-Identifier: Apache-2.0
// A member's way through the classic protocol, answer by answer.
#include "membership/group_member.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using Step = GroupMember::Step;
using std::chrono::milliseconds;
using std::chrono::seconds;

class GroupMemberTest : public testing::Test {
protected:
    Step step() const { return member.next(now).step; }
    /// Up to an assignment of partition 0, as the only member unless `leader` is another.
    void settle(std::string leader = "m-1") {
        member.found_coordinator(BrokerId(1));
        member.joined(ErrorCode::none,
                      {.generation = 1,
                       .protocol = "range",
                       .member_id = "m-1",
                       .leader = std::move(leader),
                       .members = {{"m-1", "", {"t"}}}},
                      now);
        if (step() == Step::assign) member.counted({{"t", 1}});
        ASSERT_EQ(step(), Step::sync);
        member.synced(ErrorCode::none, {{"t", {0}}}, now);
    }

    env::Instant now{seconds(1000)};
    GroupMember member{{.group = "g"}, {"t"}};
};

TEST_F(GroupMemberTest, FindsItsCoordinatorJoinsAssignsAndBeats) {
    EXPECT_EQ(step(), Step::find_coordinator);
    member.found_coordinator(BrokerId(3));
    EXPECT_EQ(member.coordinator(), BrokerId(3));
    EXPECT_EQ(step(), Step::join);
    member.joined(ErrorCode::member_id_required, {.member_id = "m-1"}, now);
    EXPECT_EQ(member.member_id(), "m-1");
    EXPECT_EQ(step(), Step::join);
    member.joined(ErrorCode::none,
                  {.generation = 4,
                   .protocol = "range",
                   .member_id = "m-1",
                   .leader = "m-1",
                   .members = {{"m-1", "", {"t"}}, {"m-2", "", {"t", "u"}}}},
                  now);
    EXPECT_EQ(step(), Step::assign);
    EXPECT_EQ(member.topics_to_assign(), (std::vector<std::string>{"t", "u"}));
    member.counted({{"t", 2}, {"u", 1}});
    EXPECT_EQ(step(), Step::sync);
    EXPECT_EQ(member.assignments().at("m-2"), (Assigned{{"t", {1}}, {"u", {0}}}));
    member.synced(ErrorCode::none, {{"t", {0}}}, now);
    EXPECT_EQ(member.round(), 1);
    EXPECT_EQ(member.assigned(), (Assigned{{"t", {0}}}));
    EXPECT_EQ(member.committer().generation, 4);
    EXPECT_FALSE(member.must_release());
    EXPECT_EQ(member.next(now), (GroupMember::Next{Step::wait, now + seconds(3)}));
    now += seconds(3);
    EXPECT_EQ(step(), Step::heartbeat);
    member.heartbeat_answered(ErrorCode::none, now);
    EXPECT_EQ(member.next(now), (GroupMember::Next{Step::wait, now + seconds(3)}));
}

TEST_F(GroupMemberTest, ThatDoesNotLeadLeavesTheAssigningToTheLeader) {
    settle("other");
    EXPECT_FALSE(member.is_leader());
    EXPECT_TRUE(member.assignments().empty());
}

TEST_F(GroupMemberTest, BeatsOnUntilItsReaderHasReleasedWhatItHas) {
    settle();
    now += seconds(3);
    member.heartbeat_answered(ErrorCode::rebalance_in_progress, now);
    EXPECT_TRUE(member.must_release());
    EXPECT_FALSE(member.has_lost());
    EXPECT_EQ(member.next(now), (GroupMember::Next{Step::wait, now + seconds(3)}));
    EXPECT_EQ(member.committer().generation, 1);  // so its last commit is taken
    now += seconds(3);
    EXPECT_EQ(step(), Step::heartbeat);
    member.heartbeat_answered(ErrorCode::rebalance_in_progress, now);
    member.released();
    EXPECT_FALSE(member.must_release());
    EXPECT_TRUE(member.assigned().empty());
    EXPECT_EQ(step(), Step::join);
    EXPECT_EQ(member.member_id(), "m-1");
}

TEST_F(GroupMemberTest, ThatTheCoordinatorHasForgottenLosesWhatItHas) {
    settle();
    member.heartbeat_answered(ErrorCode::unknown_member_id, now);
    EXPECT_TRUE(member.must_release());
    EXPECT_TRUE(member.has_lost());
    EXPECT_EQ(member.next(now), (GroupMember::Next{Step::wait, env::kNever}));
    EXPECT_EQ(member.committer().generation, -1);
    member.released();
    EXPECT_FALSE(member.has_lost());
    EXPECT_EQ(step(), Step::join);
    EXPECT_EQ(member.member_id(), "");  // it gets a new one
}

TEST_F(GroupMemberTest, OfAnOldGenerationLosesWhatItHasAndKeepsItsName) {
    settle();
    member.heartbeat_answered(ErrorCode::illegal_generation, now);
    EXPECT_TRUE(member.has_lost());
    EXPECT_EQ(member.member_id(), "m-1");
}

TEST_F(GroupMemberTest, LooksForTheCoordinatorThatHasMovedAndKeepsReading) {
    settle();
    for (const ErrorCode code :
         {ErrorCode::not_coordinator, ErrorCode::coordinator_not_available,
          ErrorCode::coordinator_load_in_progress, ErrorCode::request_timed_out}) {
        member.found_coordinator(BrokerId(1));
        member.heartbeat_answered(code, now);
        EXPECT_FALSE(member.must_release());
        EXPECT_EQ(member.coordinator(), kNoBroker);
        EXPECT_EQ(member.next(now), (GroupMember::Next{Step::wait, now + milliseconds(100)}));
        now += milliseconds(100);
        EXPECT_EQ(step(), Step::find_coordinator);
    }
    member.found_coordinator(BrokerId(2));
    EXPECT_EQ(step(), Step::wait);  // for its next heartbeat
}

TEST_F(GroupMemberTest, JoinsAgainWhenTheGroupRebalancesBeforeItWasTold) {
    member.found_coordinator(BrokerId(1));
    member.joined(ErrorCode::none,
                  {.generation = 1, .protocol = "range", .member_id = "m-1", .leader = "m-2"}, now);
    member.synced(ErrorCode::rebalance_in_progress, {}, now);
    EXPECT_FALSE(member.must_release());
    EXPECT_EQ(step(), Step::join);
}

TEST_F(GroupMemberTest, JoinsAgainForOtherTopicsAndForMorePartitions) {
    settle();
    member.subscribe({"t"});
    EXPECT_FALSE(member.must_release());
    member.subscribe({"t", "u"});
    EXPECT_TRUE(member.must_release());
    member.released();
    settle();
    member.rejoin();
    EXPECT_TRUE(member.must_release());
}

TEST_F(GroupMemberTest, SaysWhyItCanNotBeAMember) {
    member.found_coordinator(BrokerId(1));
    member.joined(ErrorCode::inconsistent_group_protocol, {}, now);
    EXPECT_EQ(step(), Step::stop);
    EXPECT_NE(member.failure()->why.find("partition.assignment.strategy"), std::string::npos);
    EXPECT_NE(member.failure()->why.find("group g "), std::string::npos);
}

TEST_F(GroupMemberTest, ThatWasReplacedByItsInstanceStops) {
    member = GroupMember{{.group = "g", .instance_id = "i"}, {"t"}};
    settle();
    member.heartbeat_answered(ErrorCode::fenced_instance_id, now);
    EXPECT_EQ(step(), Step::stop);
    EXPECT_EQ(member.failure()->why, "Another member of group g has come with group.instance.id i");
}

}  // namespace
}  // namespace milena::cli

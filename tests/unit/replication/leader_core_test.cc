// SPDX-License-Identifier: Apache-2.0
// The leader core, one event at a time; what it answers is compared as text.
#include "core/leader_core.h"

#include <gtest/gtest.h>

#include "core_script.h"

namespace milena::replication {
namespace {

TEST(Leader, AloneCommitsWhatItAppendsAtOnce) {
    Leading leader({1});
    EXPECT_TRUE(leader.append(3).high_watermark_moved);
    EXPECT_EQ(leader.hw(), 13);
    EXPECT_FALSE(leader.park(13, 30, 0));
}

TEST(Leader, AloneCommitsItsWholeLogWhenItBegins) {
    // The checkpoint of the high watermark is seconds old; what lies above it is this leader's to
    // commit.
    Leading leader({1}, 1, 4);
    EXPECT_EQ(leader.hw(), 4);
    EXPECT_TRUE(leader.core.advance(at(0)).high_watermark_moved);
    EXPECT_EQ(leader.hw(), 10);
}

TEST(Leader, ClampsACheckpointBeyondTheLog) {
    Leading leader({1}, 1, 99);
    EXPECT_EQ(leader.hw(), 10);
}

TEST(Leader, CommitsWhatEveryInSyncReplicaHas) {
    Leading leader({1, 2, 3});
    leader.append(5);
    EXPECT_EQ(leader.hw(), 10);
    EXPECT_EQ(leader.fetched(2, 15).text(), "nothing");
    EXPECT_EQ(leader.fetched(3, 12).text(), "hw moved");
    EXPECT_EQ(leader.hw(), 12);
    leader.fetched(3, 15);
    EXPECT_EQ(leader.hw(), 15);
}

TEST(Leader, TellsWhichFollowersAConsumerMayRead) {
    Leading leader({1, 2});
    leader.append(5, 1);
    leader.fetched(2, 12, 2);
    leader.fetched(3, 15, 2);  // not in sync
    EXPECT_EQ(leader.core.readable_followers(Offset(12), at(4)),
              (std::vector<ReadableFollower>{{BrokerId(2), Offset(12), std::chrono::seconds(4)}}));
    EXPECT_TRUE(leader.core.readable_followers(Offset(13), at(4)).empty()) << "it is not there yet";
    leader.core.follower_fetched({BrokerId(2), Offset(15), Offset(11)}, at(5));
    EXPECT_TRUE(leader.core.readable_followers(Offset(10), at(5)).empty()) << "or no more";
    EXPECT_EQ(leader.core.readable_followers(Offset(11), at(5)).size(), 1U);
}

TEST(Leader, NeverMovesTheHighWatermarkBack) {
    Leading leader({1, 2});
    leader.append(5);
    leader.fetched(2, 15);
    leader.fetched(2, 11);  // it lost its tail and fetches again
    EXPECT_EQ(leader.hw(), 15);
}

TEST(Leader, DoesNotCountAFollowerBeforeItsFirstFetch) {
    Leading leader({1, 2}, 1, 4);
    EXPECT_EQ(leader.core.advance(at(0)).text(), "nothing");
    EXPECT_EQ(leader.fetched(2, 10).text(), "hw moved");
    EXPECT_EQ(leader.hw(), 10);
}

TEST(Leader, StagesOneAfterTheOther) {
    Leading leader({1});
    EXPECT_EQ(leader.core.stage(3), (Append{Offset(10), LeaderEpoch(5)}));
    EXPECT_EQ(leader.core.stage(2), (Append{Offset(13), LeaderEpoch(5)}));
    leader.core.appended(Offset(13), at(1));
    EXPECT_EQ(leader.core.log_end_offset(), Offset(13));
    leader.core.append_failed();
    EXPECT_EQ(leader.core.stage(1), (Append{Offset(13), LeaderEpoch(5)}));
}

TEST(Leader, KeepsTheOffsetOfAFailedAppendForTheNext) {
    Leading leader({1});
    leader.core.stage(3);
    leader.core.append_failed();
    leader.append(2);
    EXPECT_EQ(leader.core.log_end_offset(), Offset(12));
}

TEST(Leader, AnswersParkedProducesWhenTheHighWatermarkPasses) {
    Leading leader({1, 2});
    leader.append(2);
    EXPECT_TRUE(leader.park(12, 30, 1));
    leader.append(2);
    EXPECT_TRUE(leader.park(14, 30, 2));
    EXPECT_EQ(leader.fetched(2, 12).text(), "hw moved, ticket 1 NONE");
    EXPECT_EQ(leader.fetched(2, 14).text(), "hw moved, ticket 2 NONE");
}

TEST(Leader, RefusesAcksAllBelowTheMinimumAndTakesTheRest) {
    Leading leader({1}, 2);
    const auto refused = leader.core.admit(Acks::all);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::not_enough_replicas);
    EXPECT_TRUE(leader.core.admit(Acks::leader));
    EXPECT_TRUE(leader.core.admit(Acks::none));
}

TEST(Leader, AsksForNoMoreReplicasThanThereAre) {
    const PartitionState alone{BrokerId(1), LeaderEpoch(5), PartitionEpoch(1), brokers({1}),
                               brokers({1})};
    LeaderCore core(alone, {.min_insync_replicas = 2}, {}, Offset(0), at(0));
    EXPECT_EQ(core.effective_min_insync_replicas(), 1);
    EXPECT_TRUE(core.admit(Acks::all));
    core.stage(1);
    EXPECT_TRUE(core.appended(Offset(1), at(1)).high_watermark_moved);
}

TEST(Leader, HoldsTheHighWatermarkBelowTheMinimum) {
    // KIP-966: what acks=1 wrote while too few were in sync is not shown before enough have it.
    Leading leader({1}, 2);
    EXPECT_EQ(leader.append(5).text(), "nothing");
    EXPECT_EQ(leader.hw(), 10);
    leader.fetched(2, 15);
    EXPECT_EQ(leader.core.update(led_by_1({1, 2}, 2), at(2)).text(), "hw moved");
    EXPECT_EQ(leader.hw(), 15);
}

TEST(Leader, MovesTheHighWatermarkWhenTheMinimumIsLowered) {
    Leading leader({1}, 2);
    leader.append(5);
    EXPECT_EQ(leader.core.configure({.min_insync_replicas = 1}, at(2)).text(), "hw moved");
    EXPECT_EQ(leader.hw(), 15);
}

TEST(Leader, TimesOutAParkedProduce) {
    Leading leader({1, 2, 3});
    leader.append(1);
    leader.park(11, 30, 4);
    EXPECT_EQ(leader.core.next_deadline(), at(30));
    EXPECT_EQ(leader.core.expire(at(29)).text(), "nothing");
    EXPECT_EQ(leader.core.expire(at(30)).text(), "ticket 4 REQUEST_TIMED_OUT");
}

TEST(Leader, TimesOutAParkedProduceAlsoWhereTooFewReplicasAreInSync) {
    Leading leader({1, 2}, 2);
    leader.append(1);
    leader.park(11, 30, 4);
    EXPECT_EQ(leader.core.update(led_by_1({1}, 2), at(10)).text(), "nothing");
    EXPECT_EQ(leader.core.expire(at(30)).text(), "ticket 4 REQUEST_TIMED_OUT");
}

TEST(Leader, EndsParkedProducesWithItsLeadership) {
    Leading leader({1, 2});
    leader.append(1);
    leader.park(11, 30, 4);
    EXPECT_EQ(leader.core.resign(ErrorCode::not_leader_or_follower).text(),
              "ticket 4 NOT_LEADER_OR_FOLLOWER");
}

TEST(Leader, KeepsParkedProducesOverAnEpochOfItsOwn) {
    // Nobody led between: the records are where they were, and their replicas have to show so
    // again.
    Leading leader({1, 2});
    leader.append(1);
    leader.park(11, 30, 4);
    EXPECT_EQ(leader.core.update(led_by_1({1, 2}, 2, 6), at(2)).text(), "nothing");
    EXPECT_EQ(leader.core.leader_epoch(), LeaderEpoch(6));
    EXPECT_EQ(leader.core.epoch_start_offset(), Offset(11));
    EXPECT_EQ(leader.fetched(2, 11, 3).text(), "hw moved, ticket 4 NONE");
}

TEST(Leader, ForgetsWhereItsFollowersStoodWhenItsEpochChanges) {
    // This node may have missed that another led between, whom they followed.
    Leading leader({1, 2});
    leader.fetched(2, 10);
    leader.append(1);
    leader.fetched(2, 11);
    ASSERT_EQ(leader.hw(), 11);
    leader.core.update(led_by_1({1, 2}, 2, 7), at(2));
    EXPECT_EQ(leader.core.follower(BrokerId(2))->log_end, Offset(-1));
    leader.append(1, 3);
    EXPECT_EQ(leader.hw(), 11);
}

TEST(Leader, CountsWhatIsSyncedWhereThatIsAskedFor) {
    const PartitionState alone{BrokerId(1), LeaderEpoch(5), PartitionEpoch(1), brokers({1}),
                               brokers({1})};
    LeaderCore core(alone, {.counts_durable_end = true}, {}, Offset(0), at(0));
    core.stage(4);
    EXPECT_EQ(core.appended(Offset(4), at(1)).text(), "nothing");
    EXPECT_TRUE(core.park({Offset(4), at(30), 1}));
    EXPECT_EQ(core.synced(Offset(4), at(1)).text(), "hw moved, ticket 1 NONE");
}

TEST(LeaderIsr, TakesInAFollowerThatHasReachedTheHighWatermark) {
    Leading leader({1, 2});
    EXPECT_EQ(leader.fetched(3, 9).text(), "nothing");
    EXPECT_FALSE(leader.core.propose_isr(at(1)));
    EXPECT_EQ(leader.fetched(3, 10).text(), "isr change due");
    const auto proposal = leader.core.propose_isr(at(1));
    ASSERT_TRUE(proposal);
    EXPECT_EQ(*proposal, (IsrProposal{LeaderEpoch(5),
                                      PartitionEpoch(1),
                                      {{BrokerId(1)}, {BrokerId(2)}, {BrokerId(3)}}}));
    EXPECT_FALSE(leader.core.propose_isr(at(1)));
}

TEST(LeaderIsr, WantsTheStartOfItsEpochBeforeItTakesIn) {
    // A follower at the high watermark may still have a tail of an older epoch to lose.
    Leading leader({1, 2}, 1, 4);
    leader.fetched(3, 5);
    EXPECT_FALSE(leader.core.propose_isr(at(1)));
    leader.fetched(3, 10);
    EXPECT_TRUE(leader.core.propose_isr(at(1)));
}

TEST(LeaderIsr, CountsTheComingMemberBeforeItIsCommitted) {
    Leading leader({1});
    leader.fetched(2, 10);
    ASSERT_TRUE(leader.core.propose_isr(at(1)));
    leader.append(5);
    EXPECT_EQ(leader.hw(), 10);
    leader.fetched(2, 15);
    EXPECT_EQ(leader.hw(), 15);
    EXPECT_EQ(leader.core.isr_accepted(brokers({1, 2}), PartitionEpoch(2), at(2)).text(),
              "nothing");
    EXPECT_EQ(leader.core.in_sync_replicas().committed(), brokers({1, 2}));
}

TEST(LeaderIsr, CountsTheLeavingMemberUntilItIsGone) {
    Leading leader({1, 2});
    leader.append(5);
    const auto proposal = leader.core.propose_isr(at(31));
    ASSERT_TRUE(proposal);
    EXPECT_EQ(members(*proposal), brokers({1}));
    leader.append(1, 31);
    EXPECT_EQ(leader.hw(), 10);
    EXPECT_EQ(leader.core.isr_accepted(brokers({1}), PartitionEpoch(2), at(31)).text(), "hw moved");
    EXPECT_EQ(leader.hw(), 16);
}

TEST(LeaderIsr, KeepsAMemberThatHasAllThereIsHoweverLongItIsSilent) {
    Leading leader({1, 2});
    leader.fetched(2, 10);
    EXPECT_FALSE(leader.core.propose_isr(at(1000)));
}

TEST(LeaderIsr, GivesAMemberThatHadAllThereWasItsTimeWhenThereIsMore) {
    // A session fetches nothing from a quiet partition: its silence tells nothing.
    Leading leader({1, 2});
    leader.fetched(2, 10, 0);
    leader.append(5, 1000);
    EXPECT_FALSE(leader.core.propose_isr(at(1030)));
    const auto proposal = leader.core.propose_isr(at(1031));
    ASSERT_TRUE(proposal);
    EXPECT_EQ(members(*proposal), brokers({1}));
}

TEST(LeaderIsr, KeepsAMemberThatFollowsABusyLeaderOneFetchBehind) {
    // It never fetches from the end, but each time from where the end was the time before.
    Leading leader({1, 2});
    for (int second = 1; second < 100; second += 10) {
        leader.fetched(2, leader.core.log_end_offset().value - (second == 1 ? 0 : 5), second);
        leader.append(5, second);
        EXPECT_FALSE(leader.core.propose_isr(at(second))) << second;
    }
}

TEST(LeaderIsr, DropsAMemberThatFallsEverFurtherBehind) {
    Leading leader({1, 2});
    leader.fetched(2, 10, 0);
    leader.append(100, 1);
    for (int second = 2; second <= 40; second += 2) leader.fetched(2, 10 + second / 2, second);
    const auto proposal = leader.core.propose_isr(at(40));
    ASSERT_TRUE(proposal);
    EXPECT_EQ(members(*proposal), brokers({1}));
}

TEST(LeaderIsr, WaitsForAFollowerThatKeepsUpSoThatItCanJoin) {
    Leading leader({1});
    leader.fetched(2, 10, 1);  // caught up, not a member yet
    leader.append(5, 1);
    EXPECT_EQ(leader.hw(), 10);
    leader.append(5, 60);  // it has been silent for longer than the allowed lag
    EXPECT_EQ(leader.hw(), 20);
}

TEST(LeaderIsr, DoesNotWaitForAReplicaThatTheControllerHasRemoved) {
    // Its broker died a moment ago: it was caught up until then, and must not hold the high
    // watermark for 30 s.
    Leading leader({1, 2});
    leader.fetched(2, 10, 1);
    leader.append(5, 2);
    EXPECT_EQ(leader.hw(), 10);
    EXPECT_EQ(leader.core.update(led_by_1({1}, 2), at(3)).text(), "hw moved");
    EXPECT_EQ(leader.hw(), 15);
}

TEST(LeaderIsr, StaysWithBothSetsUntilItKnowsWhatBecameOfAProposal) {
    Leading leader({1});
    leader.fetched(2, 10);
    ASSERT_TRUE(leader.core.propose_isr(at(1)));
    EXPECT_EQ(leader.core.isr_refused(IsrRefusal::unknown, at(2)).text(), "isr change due");
    leader.append(5, 2);
    EXPECT_EQ(leader.hw(), 10);
    const auto again = leader.core.propose_isr(at(3));
    ASSERT_TRUE(again);
    EXPECT_EQ(members(*again), brokers({1, 2}));

    EXPECT_EQ(leader.core.isr_refused(IsrRefusal::superseded, at(4)).text(), "nothing");
    EXPECT_FALSE(leader.core.propose_isr(at(4)));
    EXPECT_EQ(leader.hw(), 10);
    EXPECT_EQ(leader.core.update(led_by_1({1}, 2), at(60)).text(), "hw moved");
}

TEST(LeaderIsr, DoesNotWaitForAnIneligibleReplicaUntilItFetchesAgain) {
    Leading leader({1});
    leader.fetched(2, 10);
    ASSERT_TRUE(leader.core.propose_isr(at(1)));
    leader.append(5, 2);
    EXPECT_EQ(leader.core.isr_refused(IsrRefusal::ineligible, at(2)).text(), "hw moved");
    EXPECT_EQ(leader.hw(), 15);
    EXPECT_FALSE(leader.core.propose_isr(at(2)));
    EXPECT_EQ(leader.fetched(2, 15, 3).text(), "isr change due");
}

TEST(LeaderIsr, DoesNotWaitForAnIneligibleReplicaThatGoesOnFetching) {
    // In a controlled shutdown it fetches until it ends: what it then lacks would hold everybody
    // up.
    Leading leader({1});
    leader.fetched(2, 10);
    ASSERT_TRUE(leader.core.propose_isr(at(1)));
    leader.core.isr_refused(IsrRefusal::ineligible, at(1));
    leader.fetched(2, 10);
    EXPECT_EQ(leader.append(5, 1).text(), "hw moved");
    EXPECT_EQ(leader.hw(), 15);
}

TEST(LeaderIsr, DoesNotWaitForARemovedReplicaThatGoesOnFetching) {
    Leading leader({1, 2});
    leader.fetched(2, 10);
    leader.core.update(led_by_1({1}, 2), at(1));
    leader.fetched(2, 10);
    EXPECT_EQ(leader.append(5, 1).text(), "hw moved");
}

TEST(LeaderIsr, WaitsForAReplicaAgainThatWasIneligibleForATime) {
    Leading leader({1});
    leader.fetched(2, 10);
    ASSERT_TRUE(leader.core.propose_isr(at(1)));
    leader.core.isr_refused(IsrRefusal::ineligible, at(1));
    leader.fetched(2, 10, 4);
    EXPECT_EQ(leader.append(5, 4).text(), "nothing");
}

TEST(LeaderIsr, DoesNotWaitForAJoiningReplicaThatHasFallenSilent) {
    // It died before it was a member: no change of the set will tell of it.
    Leading leader({1, 3});
    leader.fetched(3, 10, 1);
    leader.fetched(2, 10, 1);
    leader.append(5, 1);
    EXPECT_EQ(leader.fetched(3, 15, 1).text(), "nothing");
    EXPECT_EQ(leader.fetched(3, 15, 2).text(), "hw moved");
}

TEST(LeaderIsr, WhatIsParkedWaitsForNobodyWhoHasFallenSilent) {
    // The last to fetch is a member, whose session has no news after that: only time goes on.
    Leading leader({1, 3});
    leader.fetched(3, 10, 1);
    leader.fetched(2, 10, 1);
    leader.append(5, 1);
    ASSERT_TRUE(leader.park(15, 30, 1));
    EXPECT_EQ(leader.fetched(3, 15, 1).text(), "nothing");
    EXPECT_EQ(leader.core.next_deadline(), at(2));
    EXPECT_EQ(leader.core.expire(at(2)).text(), "hw moved, ticket 1 NONE");
    EXPECT_EQ(leader.core.next_deadline(), env::kNever);
}

TEST(LeaderIsr, AsksAgainForThatProcessOfAReplicaThatHadEverything) {
    // Meanwhile its machine has died, and another process with less in its log fetches: it is to be
    // refused (KIP-903).
    Leading leader({1});
    leader.core.follower_fetched({.replica = BrokerId(2),
                                  .log_end = Offset(10),
                                  .log_start = Offset(0),
                                  .broker_epoch = BrokerEpoch(7)},
                                 at(1));
    const auto asked = leader.core.propose_isr(at(1));
    ASSERT_TRUE(asked);
    leader.core.isr_refused(IsrRefusal::unknown, at(2));
    leader.core.follower_fetched({.replica = BrokerId(2),
                                  .log_end = Offset(8),
                                  .log_start = Offset(0),
                                  .broker_epoch = BrokerEpoch(8)},
                                 at(2));
    EXPECT_EQ(leader.core.propose_isr(at(3)), asked);
}

TEST(LeaderIsr, TriesAnIneligibleReplicaAgainThoughItAsksForNothing) {
    // Apache Kafka's follower fetches before its broker is unfenced. Its session says nothing of a
    // partition without news, and without a second replica in sync there won't be any.
    Leading leader({1});
    leader.fetched(2, 10);
    ASSERT_TRUE(leader.core.propose_isr(at(1)));
    leader.core.isr_refused(IsrRefusal::ineligible, at(2));
    const auto again = leader.core.propose_isr(at(3));
    ASSERT_TRUE(again);
    EXPECT_EQ(members(*again), brokers({1, 2}));
}

TEST(LeaderIsr, TriesIneligibleReplicasOneAfterTheOther) {
    // One that stays fenced keeps nobody else out.
    Leading leader({1});
    leader.fetched(2, 10);
    leader.fetched(3, 10);
    ASSERT_EQ(members(*leader.core.propose_isr(at(1))), brokers({1, 2, 3}));
    leader.core.isr_refused(IsrRefusal::ineligible, at(2));
    leader.fetched(2, 10, 2);
    leader.fetched(3, 10, 2);
    EXPECT_EQ(members(*leader.core.propose_isr(at(3))), brokers({1, 2}));
    leader.core.isr_refused(IsrRefusal::ineligible, at(4));
    EXPECT_EQ(members(*leader.core.propose_isr(at(5))), brokers({1, 3}));
    leader.core.isr_accepted(brokers({1, 3}), PartitionEpoch(2), at(6));
    EXPECT_EQ(members(*leader.core.propose_isr(at(7))), brokers({1, 2, 3}));
}

TEST(LeaderIsr, IgnoresAnswersOlderThanTheMetadata) {
    Leading leader({1, 2});
    leader.core.update(led_by_1({1, 2, 3}, 7), at(1));
    EXPECT_EQ(leader.core.isr_accepted(brokers({1}), PartitionEpoch(2), at(2)).text(), "nothing");
    EXPECT_EQ(leader.core.in_sync_replicas().committed(), brokers({1, 2, 3}));
}

TEST(LeaderIsr, TracksReplicasAsTheyAreAssigned) {
    Leading leader({1, 2});
    EXPECT_EQ(leader.core.follower(BrokerId(4)), nullptr);
    leader.fetched(2, 10);
    PartitionState moved = led_by_1({1, 2}, 2);
    moved.replicas = brokers({1, 2, 4});
    leader.core.update(moved, at(1));
    EXPECT_EQ(leader.core.follower(BrokerId(3)), nullptr);
    EXPECT_NE(leader.core.follower(BrokerId(4)), nullptr);
    EXPECT_EQ(leader.core.follower(BrokerId(2))->log_end, Offset(10));
}

}  // namespace
}  // namespace milena::replication

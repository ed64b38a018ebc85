// SPDX-License-Identifier: Apache-2.0
// The follower core, one event at a time.
#include "core/follower_core.h"

#include <gtest/gtest.h>

#include "core_script.h"

namespace milena::replication {
namespace {

constexpr LeaderEpoch kEpoch(5);

/// Follows broker 1 with a log [2, 10) that ends in epoch 4, high watermark 6.
FollowerCore following() {
    return FollowerCore(led_by_1({1, 2}), {Offset(2), Offset(10), Offset(10)}, LeaderEpoch(4),
                        Offset(6));
}

const FetchPlan kPlan{BrokerId(1), Offset(10), kEpoch, LeaderEpoch(4), Offset(2)};

FetchOutcome outcome(std::int64_t high_watermark, std::int64_t log_start = 2) {
    FetchOutcome told;
    told.high_watermark = Offset(high_watermark);
    told.log_start = Offset(log_start);
    return told;
}

FetchOutcome diverging(storage::EpochEnd leader, std::optional<storage::EpochEnd> own) {
    FetchOutcome told = outcome(9);
    told.diverging = leader;
    told.own_end_of_diverging = own;
    return told;
}

storage::EpochEnd epoch_end(int epoch, std::int64_t end) {
    return {LeaderEpoch(epoch), Offset(end)};
}

TEST(Follower, FetchesFromItsLogEnd) {
    EXPECT_EQ(following().next_fetch(), kPlan);
}

TEST(Follower, FetchesFromNobodyWithoutALeader) {
    PartitionState headless = led_by_1({1, 2});
    headless.leader = kNoBroker;
    const FollowerCore core(headless, {}, kNoLeaderEpoch, Offset(0));
    EXPECT_FALSE(core.next_fetch());
}

TEST(Follower, TakesItsHighWatermarkFromTheLeaderUpToItsOwnEnd) {
    FollowerCore core = following();
    EXPECT_EQ(core.fetched(kPlan, outcome(8)).text(), "append, hw moved");
    EXPECT_EQ(core.high_watermark(), Offset(8));
    EXPECT_EQ(core.fetched(kPlan, outcome(14)).text(), "append, hw moved");
    EXPECT_EQ(core.high_watermark(), Offset(10));
    EXPECT_TRUE(core.appended(Offset(12), kEpoch));
    EXPECT_EQ(core.high_watermark(), Offset(12));
}

TEST(Follower, KeepsItsHighWatermarkUnderALeaderThatKnowsLess) {
    FollowerCore core = following();
    EXPECT_EQ(core.fetched(kPlan, outcome(3)).text(), "append");
    EXPECT_EQ(core.high_watermark(), Offset(6));
}

TEST(Follower, TruncatesToDivergingEpoch) {
    // Both know epoch 4: the leader's ended at 7, its own at 10.
    FollowerCore core = following();
    EXPECT_EQ(core.fetched(kPlan, diverging(epoch_end(4, 7), epoch_end(4, 10))).text(),
              "truncate to 7");
    core.truncated(Offset(2), Offset(7), LeaderEpoch(3));
    EXPECT_EQ(core.log_end_offset(), Offset(7));
    EXPECT_EQ(core.high_watermark(), Offset(6));
}

TEST(Follower, TruncatesToItsOwnEndOfTheEpochIfThatIsShorter) {
    FollowerCore core = following();
    EXPECT_EQ(core.fetched(kPlan, diverging(epoch_end(3, 9), epoch_end(3, 8))).text(),
              "truncate to 8");
}

TEST(Follower, StepsBackAnEpochThatItNeverHad) {
    // The leader names epoch 3; this log went from 2 (ended at 7) to 4. The end of 2 is tried next,
    // in the next fetch.
    FollowerCore core = following();
    EXPECT_EQ(core.fetched(kPlan, diverging(epoch_end(3, 9), epoch_end(2, 7))).text(),
              "truncate to 7");
}

TEST(Follower, TruncatesToTheLeadersEndWithoutEpochsOfItsOwn) {
    FollowerCore core = following();
    EXPECT_EQ(core.fetched(kPlan, diverging(epoch_end(3, 5), std::nullopt)).text(),
              "truncate to 5");
}

TEST(Follower, NeverTruncatesBelowItsLogStart) {
    FollowerCore core = following();
    EXPECT_EQ(core.fetched(kPlan, diverging(epoch_end(0, 1), std::nullopt)).text(),
              "truncate to 2");
}

TEST(Follower, LowersTheHighWatermarkWithATruncationBelowIt) {
    // Only after an unclean election; what is gone must not be shown.
    FollowerCore core = following();
    core.truncated(Offset(2), Offset(4), LeaderEpoch(3));
    EXPECT_EQ(core.high_watermark(), Offset(4));
}

TEST(Follower, IgnoresAnswersOfAnotherEpochOrPlace) {
    FollowerCore core = following();
    FetchPlan other = kPlan;
    other.current_leader_epoch = LeaderEpoch(4);
    EXPECT_EQ(core.fetched(other, outcome(9)).text(), "nothing");
    other = kPlan;
    other.from = Offset(9);
    EXPECT_EQ(core.fetched(other, outcome(9)).text(), "nothing");
    EXPECT_EQ(core.high_watermark(), Offset(6));
}

TEST(Follower, IgnoresALateAnswerAboutAHistoryItHasCutOff) {
    // Asked twice from 10; the first answer cut the log to 7, and it has grown to 10 again with the
    // leader's batches. The second answer is about the lost tail, at the same offset in the same
    // leader epoch.
    FollowerCore core = following();
    ASSERT_EQ(core.fetched(kPlan, diverging(epoch_end(4, 7), epoch_end(4, 10))).text(),
              "truncate to 7");
    core.truncated(Offset(2), Offset(7), LeaderEpoch(4));
    core.fetched(*core.next_fetch(), outcome(10));
    core.appended(Offset(10), kEpoch);
    EXPECT_EQ(core.high_watermark(), Offset(10));
    EXPECT_EQ(core.fetched(kPlan, diverging(epoch_end(4, 7), epoch_end(4, 7))).text(), "nothing");
    EXPECT_EQ(core.out_of_range(kPlan, Offset(0), Offset(7)).text(), "nothing");
}

TEST(Follower, DoesNotCarryAHighWatermarkIntoTheNextEpoch) {
    // The old leader's 14 must not be applied to what the new one sends.
    FollowerCore core = following();
    core.fetched(kPlan, outcome(14));
    ASSERT_EQ(core.high_watermark(), Offset(10));
    core.update(
        {BrokerId(3), LeaderEpoch(6), PartitionEpoch(2), brokers({1, 2, 3}), brokers({2, 3})});
    EXPECT_FALSE(core.appended(Offset(20), kEpoch));
    EXPECT_EQ(core.high_watermark(), Offset(10));
}

TEST(Follower, RaisesItsLogStartWithTheLeaders) {
    FollowerCore core = following();
    const FollowerStep step = core.fetched(kPlan, outcome(9, 8));
    EXPECT_EQ(step.raise_start, Offset(8));
    core.log_start_raised(Offset(8));
    EXPECT_EQ(core.log_start_offset(), Offset(8));
}

TEST(Follower, StartsOverWhereTheLeadersLogBegins) {
    FollowerCore core = following();
    EXPECT_EQ(core.fetched(kPlan, outcome(40, 30)).text(), "restart at 30");
    EXPECT_EQ(core.out_of_range(kPlan, Offset(30), Offset(50)).text(), "restart at 30");
    core.truncated(Offset(30), Offset(30), LeaderEpoch(3));
    EXPECT_EQ(core.high_watermark(), Offset(30));
}

TEST(Follower, CutsBackToALeaderWhoseLogEndsEarlier) {
    const FollowerCore core = following();
    EXPECT_EQ(core.out_of_range(kPlan, Offset(0), Offset(7)).text(), "truncate to 7");
    EXPECT_EQ(core.out_of_range(kPlan, Offset(0), Offset(12)).text(), "nothing");
}

}  // namespace
}  // namespace milena::replication

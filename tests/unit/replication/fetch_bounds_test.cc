// SPDX-License-Identifier: Apache-2.0
// What a fetch may read, over a log in memory with three epochs.
#include "fetch_bounds.h"

#include <gtest/gtest.h>

#include "memory_log.h"

namespace milena::replication {
namespace {

/// Epochs 2: [0, 4), 3: [4, 10), leading in 5 since 10, log [0, 12), high watermark 8, last stable
/// offset 6.
class FetchBoundsTest : public testing::Test {
protected:
    FetchBoundsTest() {
        append(0, 4, 2);
        append(4, 6, 3);
        append(10, 2, 5);
        view_.leads = true;
        view_.leader = {BrokerId(1), LeaderEpoch(5)};
        view_.epoch_start = Offset(10);
        view_.log_end = Offset(12);
        view_.high_watermark = Offset(8);
        view_.last_stable = Offset(6);
    }
    void append(std::int64_t base, int count, int epoch) {
        auto batch = batch_of(count, Timestamp(0));
        record::stamp(batch, Offset(base), LeaderEpoch(epoch));
        log_.append(batch).value();
    }
    FetchBounds ask(std::int64_t from, int last_fetched_epoch = -1) {
        question_.from = Offset(from);
        question_.last_fetched_epoch = LeaderEpoch(last_fetched_epoch);
        return fetch_bounds(question_, view_, log_);
    }

    MemoryLog log_;
    ReplicaView view_;
    FetchQuestion question_;
};

TEST_F(FetchBoundsTest, EndsAtTheHighWatermarkForConsumers) {
    EXPECT_EQ(ask(0).upper, Offset(8));
    question_.read_committed = true;
    EXPECT_EQ(ask(0).upper, Offset(6));
}

TEST_F(FetchBoundsTest, EndsAtTheLogEndForFollowers) {
    question_.replica = BrokerId(2);
    EXPECT_EQ(ask(0).upper, Offset(12));
}

TEST_F(FetchBoundsTest, GivesNothingBetweenHighWatermarkAndLogEnd) {
    const FetchBounds bounds = ask(11);
    EXPECT_EQ(bounds.code, ErrorCode::none);
    EXPECT_LT(bounds.upper, Offset(11));
}

TEST_F(FetchBoundsTest, RefusesWhatIsOutsideTheLog) {
    EXPECT_EQ(ask(12).code, ErrorCode::none);
    EXPECT_EQ(ask(13).code, ErrorCode::offset_out_of_range);
    EXPECT_EQ(ask(-1).code, ErrorCode::offset_out_of_range);
    view_.log_start = Offset(3);
    EXPECT_EQ(ask(2).code, ErrorCode::offset_out_of_range);
    EXPECT_EQ(ask(3).code, ErrorCode::none);
}

TEST_F(FetchBoundsTest, FencesBeforeAllElse) {
    view_.leads = false;
    question_.current_leader_epoch = LeaderEpoch(4);
    EXPECT_EQ(ask(99).code, ErrorCode::fenced_leader_epoch);
    question_.current_leader_epoch = LeaderEpoch(6);
    EXPECT_EQ(ask(99).code, ErrorCode::unknown_leader_epoch);
    question_.current_leader_epoch = LeaderEpoch(5);
    EXPECT_EQ(ask(99).code, ErrorCode::not_leader_or_follower);
}

TEST_F(FetchBoundsTest, LetsConsumersThatKnowOfItReadFromAFollower) {
    view_.leads = false;
    EXPECT_EQ(ask(0).code, ErrorCode::not_leader_or_follower);
    question_.leader_only = false;
    EXPECT_EQ(ask(0).code, ErrorCode::none);
    EXPECT_EQ(ask(0).upper, Offset(8));
    question_.replica = BrokerId(2);
    EXPECT_EQ(ask(0).code, ErrorCode::not_leader_or_follower);
}

TEST_F(FetchBoundsTest, NamesTheEpochWhereHistoriesPart) {
    question_.replica = BrokerId(2);
    EXPECT_FALSE(ask(10, 3).diverging);
    EXPECT_FALSE(ask(12, 5).diverging);
    EXPECT_EQ(ask(11, 3).diverging, (storage::EpochEnd{LeaderEpoch(3), Offset(10)}));
    // Epoch 4 never was here: what the follower has of it is not this log's.
    EXPECT_EQ(ask(10, 4).diverging, (storage::EpochEnd{LeaderEpoch(3), Offset(10)}));
    // Beyond the end, but of a known epoch: cut back, do not start over.
    EXPECT_EQ(ask(20, 5).diverging, (storage::EpochEnd{LeaderEpoch(5), Offset(12)}));
}

TEST_F(FetchBoundsTest, RefusesAnEpochThatNeverWas) {
    EXPECT_EQ(ask(10, 6).code, ErrorCode::offset_out_of_range);
}

TEST_F(FetchBoundsTest, RefusesOffsetsBelowTheStartWhateverTheEpoch) {
    view_.log_start = Offset(3);
    const FetchBounds bounds = ask(2, 4);
    EXPECT_EQ(bounds.code, ErrorCode::offset_out_of_range);
    EXPECT_FALSE(bounds.diverging);
}

TEST_F(FetchBoundsTest, EndsAnEpochOlderThanTheLogWhereTheLogBegins) {
    EXPECT_EQ(epoch_end(LeaderEpoch(1), view_, log_),
              (storage::EpochEnd{LeaderEpoch(1), Offset(0)}));
}

TEST_F(FetchBoundsTest, EndsTheCurrentEpochAtTheLogEndThoughNothingWasWrittenInIt) {
    view_.leader.epoch = LeaderEpoch(7);
    EXPECT_EQ(epoch_end(LeaderEpoch(7), view_, log_),
              (storage::EpochEnd{LeaderEpoch(7), Offset(12)}));
    EXPECT_EQ(epoch_end(LeaderEpoch(6), view_, log_),
              (storage::EpochEnd{LeaderEpoch(5), Offset(12)}));
    EXPECT_EQ(epoch_end(LeaderEpoch(8), view_, log_), std::nullopt);
}

TEST_F(FetchBoundsTest, GivesACopyOfThisLogAllOfItWhoeverLeads) {
    view_.leads = false;
    question_.is_copy = true;
    EXPECT_EQ(ask(0).code, ErrorCode::none);
    EXPECT_EQ(ask(0).upper, Offset(12));
    EXPECT_EQ(ask(11, 3).diverging, (storage::EpochEnd{LeaderEpoch(3), Offset(10)}));
    // The copy was made of what this log has lost since.
    EXPECT_EQ(ask(12, 6).diverging, (storage::EpochEnd{LeaderEpoch(5), Offset(12)}));
    question_.replica = BrokerId(2);
    EXPECT_EQ(ask(0).code, ErrorCode::not_leader_or_follower);
}

}  // namespace
}  // namespace milena::replication

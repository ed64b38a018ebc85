// SPDX-License-Identifier: Apache-2.0
// Where epochs begin and end, on one small history.
#include "epoch_history.h"

#include <gtest/gtest.h>

namespace milena::raft {
namespace {

EpochEnd end(int epoch, int offset) {
    return {LeaderEpoch(epoch), Offset(offset)};
}

class EpochHistoryTest : public testing::Test {
public:
    EpochHistory history{
        {{LeaderEpoch(2), Offset(0)}, {LeaderEpoch(5), Offset(10)}, {LeaderEpoch(6), Offset(12)}}};
    const Offset log_end{20};
};

TEST_F(EpochHistoryTest, AnEpochEndsWhereTheNextBegins) {
    EXPECT_EQ(history.end_of(LeaderEpoch(2), log_end), end(2, 10));
    EXPECT_EQ(history.end_of(LeaderEpoch(5), log_end), end(5, 12));
    EXPECT_EQ(history.end_of(LeaderEpoch(6), log_end), end(6, 20));
}

TEST_F(EpochHistoryTest, ALogThatBeginsLaterKnowsTheEpochBeforeItsFirstRecord) {
    history.truncate_start(Offset(10));
    EXPECT_EQ(history.end_of(LeaderEpoch(2), log_end), end(2, 10));
    EXPECT_EQ(history.end_of(LeaderEpoch(5), log_end), end(5, 12));
    history.truncate_start(Offset(11));
    EXPECT_EQ(history.end_of(LeaderEpoch(4), log_end), std::nullopt);
    EXPECT_EQ(history.end_of(LeaderEpoch(5), log_end), end(5, 12));
    history.truncate_start(log_end);
    EXPECT_EQ(history.last_epoch(), LeaderEpoch(6));
    EXPECT_EQ(history.end_of(LeaderEpoch(6), log_end), end(6, 20));
}

TEST_F(EpochHistoryTest, AnUnknownEpochIsAnsweredWithTheOneBelow) {
    EXPECT_EQ(history.end_of(LeaderEpoch(4), log_end), end(2, 10));
    EXPECT_EQ(history.end_of(LeaderEpoch(99), log_end), end(6, 20));
    EXPECT_EQ(history.end_of(LeaderEpoch(1), log_end), std::nullopt);
}

TEST_F(EpochHistoryTest, TruncationForgetsEpochsThatBeginAtOrBehindTheEnd) {
    history.truncate(Offset(12));
    EXPECT_EQ(history.last_epoch(), LeaderEpoch(5));
    history.truncate(Offset(1));
    EXPECT_EQ(history.last_epoch(), LeaderEpoch(2));
    history.truncate(Offset(0));
    EXPECT_EQ(history.last_epoch(), kNoLeaderEpoch);
}

TEST_F(EpochHistoryTest, OneEpochIsNotedOnce) {
    history.note(LeaderEpoch(6), Offset(20));
    history.note(LeaderEpoch(7), Offset(21));
    EXPECT_EQ(history.end_of(LeaderEpoch(6), Offset(30)), end(6, 21));
}

}  // namespace
}  // namespace milena::raft

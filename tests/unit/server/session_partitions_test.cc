// SPDX-License-Identifier: Apache-2.0
// The partitions of a session, one event at a time.
#include "fetch/session_partitions.h"

#include <gtest/gtest.h>

namespace milena::server {
namespace {

using Slot = SessionPartitions::Slot;

FetchOutcome gave(std::uint64_t bytes, std::int64_t high_watermark = 0,
                  ErrorCode code = ErrorCode::none) {
    FetchOutcome outcome;
    outcome.was_asked = outcome.had_room = true;
    outcome.answer.code = code;
    outcome.answer.high_watermark = Offset(code == ErrorCode::none ? high_watermark : -1);
    outcome.answer.log_start_offset = Offset(0);
    outcome.answer.records.length = bytes;
    return outcome;
}

class SessionPartitionsTest : public testing::Test {
protected:
    Slot ask(std::int32_t partition, std::int64_t from = 0) {
        SessionPartitions::Asked asked;
        asked.partition = partition;
        asked.fetch_offset = from;
        return partitions.ask({"t", {}}, asked);
    }
    bool forget(std::int32_t partition) {
        const auto slot = partitions.forget({"t", {}}, partition);
        if (slot) partitions.release(*slot);
        return slot.has_value();
    }
    std::vector<std::int32_t> take() {
        partitions.take(taken);
        std::vector<std::int32_t> out;
        for (const auto& one : taken) out.push_back(one.asked.partition);
        return out;
    }
    /// One turn in which everything that is marked is taken and gives `outcome`; who must be told.
    std::vector<std::int32_t> turn(const FetchOutcome& outcome) {
        take();
        std::vector<std::int32_t> told;
        for (const auto& one : taken) {
            if (partitions.settle(one.number, outcome)) told.push_back(one.asked.partition);
        }
        partitions.end_turn();
        return told;
    }
    using Numbers = std::vector<std::int32_t>;

    SessionPartitions partitions{false};
    std::vector<SessionPartitions::Taken> taken;
};

TEST_F(SessionPartitionsTest, TellsEachOnceAndThenNothingWithoutNews) {
    for (const int number : {3, 1, 2}) ask(number);
    EXPECT_EQ(turn(gave(0)), (Numbers{3, 1, 2}));
    EXPECT_EQ(take(), Numbers{});
}

TEST_F(SessionPartitionsTest, AnIdleTurnLooksAtNoneOfTenThousand) {
    std::vector<Slot> slots;
    for (int i = 0; i < 10'000; ++i) slots.push_back(ask(i));
    EXPECT_EQ(turn(gave(0)).size(), 10'000U);
    EXPECT_FALSE(partitions.has_marks());
    partitions.mark(slots[7777]);
    EXPECT_EQ(take(), Numbers{7777});
}

TEST_F(SessionPartitionsTest, RemembersTheHighWatermarkThatItHasTold) {
    const Slot slot = ask(1);
    take();
    EXPECT_EQ(taken.at(0).told_high_watermark, Offset(-1));
    partitions.settle(taken[0].number, gave(0, 5));
    partitions.end_turn();
    partitions.mark(slot);
    take();
    EXPECT_EQ(taken.at(0).told_high_watermark, Offset(5));
}

TEST_F(SessionPartitionsTest, OneThatIsToBeReadElsewhereIsToldEachTime) {
    ask(1);
    turn(gave(0, 5));
    ask(1);
    FetchOutcome elsewhere = gave(0, 5);
    elsewhere.preferred_replica = BrokerId(3);
    EXPECT_EQ(turn(elsewhere), Numbers{1});
    EXPECT_EQ(turn(elsewhere), Numbers{1}) << "until the client asks otherwise";
}

TEST_F(SessionPartitionsTest, IsReadButNotToldWhereNothingChanged) {
    const Slot slot = ask(1);
    turn(gave(0, 5));
    partitions.mark(slot);
    EXPECT_EQ(turn(gave(0, 5)), Numbers{});
    partitions.mark(slot);
    EXPECT_EQ(turn(gave(0, 6)), Numbers{1});
    EXPECT_FALSE(partitions.has_marks());
}

TEST_F(SessionPartitionsTest, NewsWhileItIsReadMarkItAgain) {
    const Slot slot = ask(1);
    take();
    EXPECT_TRUE(partitions.mark(slot));
    EXPECT_FALSE(partitions.mark(slot)) << "once is enough";
    partitions.settle(0, gave(0));
    partitions.end_turn();
    EXPECT_EQ(take(), Numbers{1});
}

TEST_F(SessionPartitionsTest, KeepsItsNumberWhenItIsTakenAgainInOneTurn) {
    ask(1);
    const Slot second = ask(2);
    take();
    partitions.mark(second);
    take();
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].number, 1U);
}

TEST_F(SessionPartitionsTest, StaysMarkedWithWhatItWouldAnswerAgain) {
    ask(1);
    EXPECT_EQ(turn(gave(0, 0, ErrorCode::offset_out_of_range)), Numbers{1});
    EXPECT_EQ(turn(gave(0, 0, ErrorCode::offset_out_of_range)), Numbers{1}) << "errors always";
    EXPECT_EQ(turn(gave(100)), Numbers{1});
    EXPECT_EQ(turn(gave(100)), Numbers{1}) << "records that nobody moved past";
    FetchOutcome diverging = gave(0);
    diverging.answer.diverging_epoch = storage::EpochEnd{};
    EXPECT_EQ(turn(diverging), Numbers{1});
    FetchOutcome cut = gave(0);
    cut.had_room = false;
    EXPECT_EQ(turn(cut), Numbers{});
    EXPECT_EQ(turn(FetchOutcome{}), Numbers{}) << "not asked at all";
    EXPECT_EQ(turn(gave(0)), Numbers{});
    EXPECT_FALSE(partitions.has_marks());
}

TEST_F(SessionPartitionsTest, IsToldAgainAfterAnErrorThoughNothingChanged) {
    ask(1);
    turn(gave(0, 5));
    ask(1);
    turn(gave(0, 5, ErrorCode::offset_out_of_range));
    EXPECT_EQ(turn(gave(0, 5)), Numbers{1});
}

TEST_F(SessionPartitionsTest, WhatGaveRecordsHasItsTurnLast) {
    for (const int number : {1, 2, 3}) ask(number);
    EXPECT_EQ(take(), (Numbers{1, 2, 3}));
    partitions.settle(0, gave(10));
    partitions.settle(1, FetchOutcome{});
    partitions.settle(2, FetchOutcome{});
    partitions.end_turn();
    EXPECT_EQ(take(), (Numbers{2, 3, 1}));
}

TEST_F(SessionPartitionsTest, PutsBackWhatWasTaken) {
    ask(1);
    turn(gave(0));
    const Slot slot = ask(2);
    take();
    partitions.put_back();
    EXPECT_FALSE(partitions.mark(slot));
    EXPECT_EQ(take(), Numbers{2});
}

TEST_F(SessionPartitionsTest, AsksWithTheNewestValues) {
    ask(1, 10);
    ask(1, 20);
    EXPECT_EQ(partitions.size(), 1U);
    take();
    EXPECT_EQ(taken.at(0).asked.fetch_offset, 20);
}

TEST_F(SessionPartitionsTest, ForgottenOnesHaveNoNews) {
    const Slot slot = ask(1);
    ask(2);
    EXPECT_TRUE(forget(1));
    EXPECT_FALSE(forget(1));
    EXPECT_EQ(partitions.size(), 1U);
    partitions.mark(slot);
    EXPECT_EQ(take(), Numbers{2});
}

TEST_F(SessionPartitionsTest, OneThatComesBackIsNewAndLast) {
    ask(1);
    ask(2);
    turn(gave(0));
    forget(1);
    ask(3);
    ask(1);
    EXPECT_EQ(turn(gave(0)), (Numbers{3, 1}));
    EXPECT_EQ(partitions.size(), 3U);
}

TEST_F(SessionPartitionsTest, TopicsAreTheSameByTheirIdWhereTheyHaveOne) {
    SessionPartitions by_id(true);
    const Uuid one(1, 2);
    const auto slot = by_id.ask({"", one}, {});
    by_id.remember_name(slot, "name");
    EXPECT_EQ(by_id.ask({"", one}, {}), slot);
    EXPECT_NE(by_id.ask({"", Uuid(1, 3)}, {}), slot);
    by_id.take(taken);
    EXPECT_EQ(taken.at(0).topic.name, "name");
    EXPECT_TRUE(by_id.forget({"", one}, 0));
}

}  // namespace
}  // namespace milena::server

// SPDX-License-Identifier: Apache-2.0
// The turns of a session over partitions that only keep who listens to them.
#include "fetch/fetch_session.h"

#include <gtest/gtest.h>

#include "fetch/session_slots.h"
#include "heard_partition.h"
#include "milena/protocol/arena.h"

namespace milena::server {
namespace {

using protocol::FetchRequest;

constexpr std::int16_t kVersion = 12;

class FetchSessionTest : public testing::Test {
protected:
    using Slot = FetchSession::Slot;
    using Partitions = std::vector<FetchRequest::FetchPartition>;

    static Partitions numbered(std::int32_t from, std::int32_t count) {
        Partitions out(static_cast<std::size_t>(count));
        for (auto& one : out) one.partition = from++;
        return out;
    }
    /// The session's next request asks for these, and no longer for those.
    SessionTurn begin(const Partitions& asked, const std::vector<std::int32_t>& forgotten = {}) {
        FetchRequest::FetchTopic topic;
        topic.topic = "topic";
        topic.partitions = std::span(asked);
        FetchRequest::ForgottenTopic gone;
        gone.topic = "topic";
        gone.partitions = std::span(forgotten);
        FetchRequest body;
        body.session_epoch = epoch;
        body.topics = std::span(&topic, 1);
        body.forgotten_topics_data = std::span(&gone, 1);
        const SessionTurn turn = session->begin(body, kVersion, scratch);
        if (turn.code == ErrorCode::none) epoch = turn.epoch;
        return turn;
    }

    /// The numbers of the partitions that have news, each time the same request looks for some.
    std::vector<std::int32_t> take(const SessionTurn& turn) {
        EXPECT_TRUE(session->take(turn, arena, names, due));
        std::vector<std::int32_t> out;
        for (const DuePartition& one : due) out.push_back(one.partition.asked.partition);
        return out;
    }
    using Numbers = std::vector<std::int32_t>;

    protocol::Arena arena;
    std::vector<std::string_view> names;
    std::vector<DuePartition> due;
    std::shared_ptr<FetchSession> session = std::make_shared<FetchSession>(7, false);
    std::int32_t epoch = 1;
    std::vector<ForgottenPartition> scratch;
};

TEST_F(FetchSessionTest, ManyWakeUpsOfOneRequestTakeNoMoreMemory) {
    const SessionTurn turn = begin(numbered(0, 2));
    EXPECT_EQ(take(turn), (Numbers{0, 1}));
    const auto replica = std::make_shared<HeardPartition>();
    for (const DuePartition& one : due) session->listen(turn, one.partition.slot, replica);
    const std::size_t used = arena.bytes_used();
    EXPECT_EQ(used, 2 * std::string_view("topic").size());
    for (int i = 0; i < 1000; ++i) {
        replica->tell();
        EXPECT_EQ(take(turn), (Numbers{0, 1}));
        EXPECT_EQ(due[1].partition.topic.name, "topic");
    }
    EXPECT_EQ(arena.bytes_used(), used);
}

TEST_F(FetchSessionTest, ANameThatWasLearntInATurnIsThereInTheSameTurn) {
    const SessionTurn turn = begin(numbered(0, 1));
    EXPECT_EQ(take(turn), Numbers{0});
    const auto replica = std::make_shared<HeardPartition>();
    session->listen(turn, due[0].partition.slot, replica);
    session->remember_name(turn, due[0].partition.slot, "learnt");
    replica->tell();
    EXPECT_EQ(take(turn), Numbers{0});
    EXPECT_EQ(due[0].partition.topic.name, "learnt");
}

TEST_F(FetchSessionTest, ATurnThatIsOverLeavesAnothersSlotAlone) {
    const auto first = std::make_shared<HeardPartition>();
    const auto second = std::make_shared<HeardPartition>();
    const SessionTurn over = begin(numbered(0, 1));
    take(over);
    const Slot slot = due[0].partition.slot;
    begin({}, {0});
    const SessionTurn turn = begin(numbered(1, 1));
    names.clear();
    EXPECT_EQ(take(turn), Numbers{1});
    EXPECT_EQ(due[0].partition.slot, slot);
    session->listen(turn, slot, second);

    session->listen(over, slot, first);
    session->remember_name(over, slot, "other");
    EXPECT_EQ(first->listeners(), 0U);
    second->tell();
    EXPECT_EQ(take(turn), Numbers{1});
    EXPECT_EQ(due[0].replica, second);
    EXPECT_EQ(due[0].partition.topic.name, "topic");
}

TEST_F(FetchSessionTest, ATurnThatEndsWhileItRegistersTakesThatBack) {
    const auto first = std::make_shared<HeardPartition>();
    const auto second = std::make_shared<HeardPartition>();
    const SessionTurn over = begin(numbered(0, 1));
    take(over);
    const Slot slot = due[0].partition.slot;
    SessionTurn turn;
    first->before_listen = [&] {
        begin({}, {0});
        turn = begin(numbered(1, 1));
        names.clear();
        EXPECT_EQ(take(turn), Numbers{1});
        session->listen(turn, slot, second);
    };
    session->listen(over, slot, first);
    EXPECT_EQ(first->listeners(), 0U);
    EXPECT_EQ(second->listeners(), 1U);
    EXPECT_EQ(take(turn), Numbers{});
}

TEST_F(FetchSessionTest, ATurnThatReadBeforeAnOlderOneListenedReadsAgain) {
    const auto replica = std::make_shared<HeardPartition>();
    const SessionTurn over = begin(numbered(0, 1));
    take(over);
    SessionTurn turn;
    replica->before_listen = [&] {
        turn = begin({});
        names.clear();
        EXPECT_EQ(take(turn), Numbers{0});
        EXPECT_EQ(due[0].replica, replica);
    };
    session->listen(over, due[0].partition.slot, replica);
    EXPECT_EQ(replica->listeners(), 1U);
    EXPECT_EQ(take(turn), Numbers{0});
}

TEST_F(FetchSessionTest, WhatEndsWhileItRegistersIsNotListenedTo) {
    const auto replica = std::make_shared<HeardPartition>();
    const SessionTurn turn = begin(numbered(0, 1));
    take(turn);
    replica->before_listen = [&] { session->end(); };
    session->listen(turn, due[0].partition.slot, replica);
    EXPECT_EQ(replica->listeners(), 0U);
    session->listen(turn, due[0].partition.slot, replica);
    EXPECT_EQ(replica->listeners(), 0U);
}

TEST_F(FetchSessionTest, MayAskAgainForAllOfManyPartitions) {
    const auto many = numbered(0, SessionSlots::kPartitionsMax / 2 + 1);
    EXPECT_EQ(begin(many).partitions, many.size());
    EXPECT_EQ(begin(many).partitions, many.size());
    EXPECT_EQ(
        begin(numbered(-static_cast<std::int32_t>(many.size()), SessionSlots::kPartitionsMax / 2))
            .code,
        ErrorCode::fetch_session_id_not_found);
}

}  // namespace
}  // namespace milena::server

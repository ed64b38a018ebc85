// SPDX-License-Identifier: Apache-2.0
// Which records may follow each other, and what they say.
#include "transaction/transaction.h"

#include <gtest/gtest.h>

namespace milena::coordinator::test {
namespace {

using enum TransactionState;

constexpr TransactionState kStates[]{
    empty,           ongoing,        prepare_commit, prepare_abort,
    complete_commit, complete_abort, dead,           prepare_epoch_fence};

Transaction open_transaction(TransactionVersion version) {
    Transaction said = begun({}, {ProducerId(5), 3, -1, 60'000}, 100);
    return added(said, {{"t", PartitionIndex(0)}}, version, 200);
}

TEST(Transaction, GoesFromStateToState) {
    const std::set<std::pair<TransactionState, TransactionState>> legal{
        {empty, empty},
        {empty, ongoing},
        {empty, prepare_abort},
        {ongoing, ongoing},
        {ongoing, prepare_commit},
        {ongoing, prepare_abort},
        {prepare_commit, complete_commit},
        {prepare_abort, complete_abort},
        {complete_commit, empty},
        {complete_commit, ongoing},
        {complete_commit, prepare_abort},
        {complete_abort, empty},
        {complete_abort, ongoing},
        {complete_abort, prepare_abort}};
    for (const auto from : kStates) {
        for (const auto to : kStates)
            EXPECT_EQ(may_follow(from, to), legal.contains({from, to})) << text(from) << text(to);
    }
}

TEST(Transaction, StatesHaveKafkasNames) {
    std::string names;
    for (const auto state : kStates) names += std::string(text(state)) + " ";
    EXPECT_EQ(names,
              "Empty Ongoing PrepareCommit PrepareAbort CompleteCommit CompleteAbort Dead "
              "PrepareEpochFence ");
}

TEST(Transaction, EachEndHasTheNextEpoch) {
    const auto open = open_transaction(TransactionVersion(2));
    const auto decided = prepared(open, {.commit = true, .version = TransactionVersion(2)}, 300);
    EXPECT_EQ(decided.epoch, 4);
    EXPECT_EQ(decided.last_epoch, 3);
    EXPECT_EQ(decided.partitions, open.partitions);
    EXPECT_EQ(decided.start_ms, 200);
    const auto over = completed(decided, 400);
    EXPECT_EQ(over.state, complete_commit);
    EXPECT_EQ(over.epoch, 4);
    EXPECT_TRUE(over.partitions.empty());
    EXPECT_EQ(restored(over), over);
    EXPECT_EQ(restored(decided), decided);
}

TEST(Transaction, AClassicEndHasTheSameEpochButForAFence) {
    const auto open = open_transaction(TransactionVersion::classic);
    EXPECT_EQ(prepared(open, {.commit = true}, 300).epoch, 3);
    const auto fenced = prepared(open, {.is_fence = true}, 300);
    EXPECT_EQ(fenced.epoch, 4);
    EXPECT_EQ(fenced.state, prepare_abort);
    // Nobody may go on with it as if he had been told.
    EXPECT_EQ(fenced.last_epoch, -1);
}

TEST(Transaction, TheLastEpochIsFollowedByTheNextProducer) {
    auto open = open_transaction(TransactionVersion(2));
    open.epoch = kLastEpoch;
    const Ending ending{
        .commit = true, .version = TransactionVersion(2), .next_producer_id = ProducerId(6)};
    const auto decided = prepared(open, ending, 300);
    EXPECT_EQ(decided.producer_id, ProducerId(5));
    EXPECT_EQ(decided.epoch, INT16_MAX);
    const auto over = completed(decided, 400);
    EXPECT_EQ(over.producer_id, ProducerId(6));
    EXPECT_EQ(over.previous_producer_id, ProducerId(5));
    EXPECT_EQ(over.next_producer_id, kNoProducer);
    EXPECT_EQ(over.epoch, 0);
    EXPECT_EQ(over.last_epoch, kLastEpoch);
    EXPECT_EQ(restored(over), over);
    EXPECT_TRUE(may_follow(decided, over));
}

TEST(Transaction, NoEpochIsGreaterThanTheGreatest) {
    auto open = open_transaction(TransactionVersion::classic);
    open.epoch = INT16_MAX;
    EXPECT_EQ(prepared(open, {.is_fence = true}, 300).epoch, INT16_MAX);
}

TEST(Transaction, WhatIsWrittenGoesOneWayThoughTheClockDoesNot) {
    const auto open = open_transaction(TransactionVersion(2));
    EXPECT_EQ(prepared(open, {.commit = true}, 50).updated_ms, 200);
}

TEST(Transaction, WhatItWroteToIsKeptUntilItIsComplete) {
    const auto open = open_transaction(TransactionVersion(2));
    auto decided = prepared(open, {.commit = true}, 300);
    EXPECT_TRUE(may_follow(open, decided));
    decided.partitions.clear();
    EXPECT_FALSE(may_follow(open, decided));
    auto more = added(open, {{"u", PartitionIndex(0)}}, TransactionVersion(2), 300);
    EXPECT_TRUE(may_follow(open, more));
    EXPECT_FALSE(may_follow(more, open));
    more.epoch = 2;
    EXPECT_FALSE(may_follow(open, more));
}

}  // namespace
}  // namespace milena::coordinator::test

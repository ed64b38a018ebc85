// SPDX-License-Identifier: Apache-2.0
// How a transaction ends, and what comes again after it: classic, and by KIP-890.
#include <gtest/gtest.h>

#include "transaction_host.h"

namespace milena::coordinator::test {
namespace {

using enum TransactionState;

class EndTransaction : public testing::Test, protected TransactionTest {
protected:
    /// A producer whose transaction is open.
    Producer open(TransactionVersion version) {
        const auto producer = init();
        EXPECT_EQ(add(producer, 0, version), ErrorCode::none);
        return producer;
    }
};

class EndOfAny : public EndTransaction, public testing::WithParamInterface<TransactionVersion> {};

TEST_P(EndOfAny, IsDecidedThenMarkedThenComplete) {
    for (const bool commit : {true, false}) {
        const auto producer = open(GetParam());
        host.hold_markers();
        EXPECT_EQ(end_code(producer, commit, GetParam()), ErrorCode::none);
        EXPECT_EQ(state(), commit ? prepare_commit : prepare_abort);
        const auto order = host.orders().at(0);
        EXPECT_EQ(order.commit, commit);
        EXPECT_EQ(order.version, GetParam());
        EXPECT_EQ(order.partitions, std::vector{partition(0)});
        EXPECT_EQ(order.producer_epoch, producer.epoch + (GetParam() == kByEpoch ? 1 : 0));
        host.mark(ErrorCode::none);
        EXPECT_EQ(state(), commit ? complete_commit : complete_abort);
        EXPECT_TRUE(host.last(kId).partitions.empty());
        host.release_markers();
    }
}

TEST_P(EndOfAny, OnlyOfItsProducer) {
    EXPECT_EQ(end_code({ProducerId(1000), 0}, true, GetParam()),
              ErrorCode::invalid_producer_id_mapping);
    init();
    const auto producer = open(GetParam());
    EXPECT_EQ(producer.epoch, 1);
    const auto records = host.log().size();
    for (const bool commit : {true, false}) {
        EXPECT_EQ(end_code({ProducerId(7), 1}, commit, GetParam()),
                  ErrorCode::invalid_producer_id_mapping);
        EXPECT_EQ(end_code({kNoProducer, -1}, commit, GetParam()),
                  ErrorCode::invalid_producer_id_mapping);
        for (const std::int16_t epoch : {std::int16_t{0}, std::int16_t{2}, std::int16_t{-1}})
            EXPECT_EQ(end_code({producer.id, epoch}, commit, GetParam()),
                      ErrorCode::producer_fenced);
    }
    auto request = end_request(producer, true, GetParam());
    request.transactional_id.clear();
    EXPECT_EQ(host.reply<EndTransactionReply>(request).code, ErrorCode::invalid_request);
    EXPECT_EQ(host.log().size(), records);
}

TEST_P(EndOfAny, ItsAnswerWaitsForTheRecord) {
    const auto producer = open(GetParam());
    host.hold();
    const Ticket ticket = host.ask(end_request(producer, true, GetParam()));
    EXPECT_FALSE(host.has_been_told(ticket));
    // Nor does anybody hear of its end.
    EXPECT_TRUE(host.orders().empty());
    EXPECT_EQ(state(), prepare_commit);
    host.release();
    EXPECT_TRUE(host.has_been_told(ticket));
    EXPECT_EQ(state(), complete_commit);
}

TEST_P(EndOfAny, WhatIsNotAppendedHasNotHappened) {
    const auto producer = open(GetParam());
    host.fail_next_append(ErrorCode::coordinator_not_available);
    const Ticket ticket = host.ask(end_request(producer, true, GetParam()));
    EXPECT_EQ(host.refused(ticket), ErrorCode::coordinator_not_available);
    EXPECT_EQ(state(), ongoing);
    EXPECT_EQ(end_code(producer, false, GetParam()), ErrorCode::none);
    EXPECT_EQ(state(), complete_abort);
}

INSTANTIATE_TEST_SUITE_P(Versions, EndOfAny, testing::Values(kClassic, kByEpoch));

TEST_F(EndTransaction, AClassicOneThatComesAgainIsToldTheSame) {
    for (const bool commit : {true, false}) {
        const auto producer = open(kClassic);
        host.hold_markers();
        end(producer, commit, kClassic);
        EXPECT_EQ(end_code(producer, commit, kClassic), ErrorCode::concurrent_transactions);
        EXPECT_EQ(end_code(producer, !commit, kClassic), ErrorCode::invalid_txn_state);
        host.release_markers();
        const auto records = host.log().size();
        EXPECT_EQ(end_code(producer, commit, kClassic), ErrorCode::none);
        EXPECT_EQ(end_code(producer, !commit, kClassic), ErrorCode::invalid_txn_state);
        EXPECT_EQ(host.log().size(), records);
    }
}

TEST_F(EndTransaction, AClassicOneMustHaveBegun) {
    const auto producer = init();
    EXPECT_EQ(end_code(producer, true, kClassic), ErrorCode::invalid_txn_state);
    EXPECT_EQ(end_code(producer, false, kClassic), ErrorCode::invalid_txn_state);
    EXPECT_EQ(host.log().size(), 1U);
}

TEST_F(EndTransaction, EachGivesTheNextEpoch) {
    const auto producer = open(kByEpoch);
    const auto told = end(producer, true);
    EXPECT_EQ(told.producer_id, producer.id);
    EXPECT_EQ(told.producer_epoch, 1);
    const Producer next{told.producer_id, told.producer_epoch};
    add(next, 0);
    EXPECT_EQ(end(next, false).producer_epoch, 2);
}

TEST_F(EndTransaction, OneThatComesAgainIsToldTheSame) {
    for (const bool commit : {true, false}) {
        const auto producer = open(kByEpoch);
        host.hold_markers();
        end(producer, commit);
        EXPECT_EQ(end_code(producer, commit), ErrorCode::concurrent_transactions);
        EXPECT_EQ(end_code(producer, !commit), ErrorCode::invalid_txn_state);
        host.release_markers();
        const auto records = host.log().size();
        const auto again = end(producer, commit);
        EXPECT_EQ(again.code, ErrorCode::none);
        EXPECT_EQ(again.producer_id, producer.id);
        EXPECT_EQ(again.producer_epoch, producer.epoch + 1);
        const auto other = end(producer, !commit);
        EXPECT_EQ(other.code, ErrorCode::invalid_txn_state);
        EXPECT_EQ(other.producer_id, kNoProducer);
        EXPECT_EQ(other.producer_epoch, -1);
        EXPECT_EQ(host.log().size(), records);
    }
}

TEST_F(EndTransaction, OneThatComesLateDoesNotTouchTheNext) {
    const auto producer = open(kByEpoch);
    const auto told = end(producer, true);
    const Producer next{told.producer_id, told.producer_epoch};
    add(next, 1);
    EXPECT_EQ(end_code(producer, true), ErrorCode::producer_fenced);
    EXPECT_EQ(end_code(producer, false), ErrorCode::producer_fenced);
    EXPECT_EQ(state(), ongoing);
    end(next, false);
    EXPECT_EQ(end_code(producer, true), ErrorCode::producer_fenced);
}

TEST_F(EndTransaction, AnAbortOfNothingGivesTheNextEpoch) {
    auto producer = init();
    EXPECT_EQ(end_code(producer, true), ErrorCode::invalid_txn_state);
    // Of Empty, CompleteAbort and CompleteCommit.
    for (int i = 0; i < 3; ++i) {
        const auto told = end(producer, false);
        EXPECT_EQ(told.code, ErrorCode::none);
        EXPECT_EQ(told.producer_epoch, producer.epoch + 1);
        EXPECT_EQ(state(), complete_abort);
        EXPECT_EQ(host.last(kId).start_ms, host.time().wall_ms);
        producer.epoch = told.producer_epoch;
        EXPECT_EQ(end_code(producer, true), ErrorCode::invalid_txn_state);
        if (i != 1) continue;
        add(producer, 0);
        producer.epoch = end(producer, true).producer_epoch;
        EXPECT_EQ(end_code(producer, true), ErrorCode::invalid_txn_state);
    }
}

TEST_F(EndTransaction, AnAbortWaitsForTheTransactionBefore) {
    const auto producer = open(kByEpoch);
    host.hold_markers();
    const auto told = end(producer, true);
    const Producer next{told.producer_id, told.producer_epoch};
    EXPECT_EQ(end_code(next, false), ErrorCode::concurrent_transactions);
    EXPECT_EQ(end_code(next, true), ErrorCode::concurrent_transactions);
    host.release_markers();
    EXPECT_EQ(end(next, false).producer_epoch, 2);
}

TEST_F(EndTransaction, OneThatIsFencedIsNotCommitted) {
    const auto producer = open(kByEpoch);
    EXPECT_EQ(init_code(), ErrorCode::concurrent_transactions);
    EXPECT_EQ(end_code(producer, true), ErrorCode::invalid_txn_state);
    EXPECT_EQ(end(producer, false).producer_epoch, 1);
    init();
    EXPECT_EQ(end_code(producer, false), ErrorCode::producer_fenced);
}

TEST_F(EndTransaction, TheLastEpochIsFollowedByTheNextProducer) {
    for (const bool commit : {true, false}) {
        init();
        const auto last = set_epoch(kLastEpoch);
        add(last, 0);
        host.hold_markers();
        const auto told = end(last, commit);
        EXPECT_NE(told.producer_id, last.id);
        EXPECT_EQ(told.producer_epoch, 0);
        EXPECT_EQ(host.orders().back().producer_id, last.id);
        EXPECT_EQ(host.orders().back().producer_epoch, INT16_MAX);
        const Producer next{told.producer_id, 0};
        EXPECT_EQ(end_code(next, false), ErrorCode::concurrent_transactions);
        EXPECT_EQ(end_code(last, commit), ErrorCode::concurrent_transactions);
        host.release_markers();
        const auto again = end(last, commit);
        EXPECT_EQ(again.code, ErrorCode::none);
        EXPECT_EQ(again.producer_id, told.producer_id);
        EXPECT_EQ(again.producer_epoch, 0);
        EXPECT_EQ(end_code(last, !commit), ErrorCode::invalid_txn_state);
        EXPECT_EQ(add(next, 0), ErrorCode::none);
        EXPECT_EQ(end_code(last, commit), ErrorCode::invalid_producer_id_mapping);
        EXPECT_EQ(end(next, true).producer_epoch, 1);
    }
}

TEST_F(EndTransaction, TheLastEpochNeedsAnId) {
    init();
    const auto last = set_epoch(kLastEpoch);
    add(last, 0);
    host.ids().is_empty = true;
    EXPECT_EQ(end_code(last, true), ErrorCode::coordinator_load_in_progress);
    EXPECT_EQ(state(), ongoing);
    host.ids().is_empty = false;
    EXPECT_EQ(end_code(last, true), ErrorCode::none);
}

TEST_F(EndTransaction, AClientThatIsNewerMayEndWhatBeganClassic) {
    const auto producer = open(kClassic);
    EXPECT_EQ(end(producer, true, kByEpoch).producer_epoch, 1);
    EXPECT_EQ(add({producer.id, 1}, 0, kByEpoch), ErrorCode::none);
}

}  // namespace
}  // namespace milena::coordinator::test

// SPDX-License-Identifier: Apache-2.0
// What happens when nobody asks: transactions time out, and ids expire.
#include <gtest/gtest.h>

#include "transaction_host.h"

namespace milena::coordinator::test {
namespace {

using enum TransactionState;

constexpr std::int64_t kDay = 24LL * 3600 * 1000;

class TimersOfTransactions : public testing::Test, protected TransactionTest {
protected:
    bool is_known() {
        return host.reply<DescribeTransactionReply>(DescribeTransactionRequest{kId}).code ==
               ErrorCode::none;
    }
};

class TimeoutOfAny : public TimersOfTransactions,
                     public testing::WithParamInterface<TransactionVersion> {};

TEST_P(TimeoutOfAny, AnOpenTransactionIsAborted) {
    const auto producer = init();
    add(producer, 0, GetParam());
    host.advance_ms(30'000);
    // It does not become younger.
    add(producer, 1, GetParam());
    host.advance_ms(29'999);
    EXPECT_EQ(state(), ongoing);
    host.advance_ms(1);
    EXPECT_EQ(state(), complete_abort);
    EXPECT_EQ(host.last(kId).epoch, 1);
    EXPECT_EQ(host.transactions().figures().timed_out, 1U);
    EXPECT_NE(end_code(producer, true, GetParam()), ErrorCode::none);
    EXPECT_EQ(add(producer, 0, GetParam()), ErrorCode::producer_fenced);
    EXPECT_EQ(init().epoch, 2);
}

TEST_P(TimeoutOfAny, OneThatIsDecidedHasAllTheTimeItTakes) {
    const auto producer = init();
    add(producer, 0, GetParam());
    host.hold_markers();
    end(producer, true, GetParam());
    host.advance_ms(8 * kDay);
    EXPECT_EQ(state(), prepare_commit);
    host.release_markers();
    EXPECT_EQ(state(), complete_commit);
}

TEST_P(TimeoutOfAny, WhoTakesOverGoesOnCounting) {
    const auto producer = init();
    add(producer, 0, GetParam());
    host.advance_ms(40'000);
    host.take_over();
    host.advance_ms(19'999);
    EXPECT_EQ(state(), ongoing);
    host.advance_ms(1);
    EXPECT_EQ(state(), complete_abort);
}

INSTANTIATE_TEST_SUITE_P(Versions, TimeoutOfAny, testing::Values(kClassic, kByEpoch));

TEST_F(TimersOfTransactions, AProducerThatKnowsOfKip890GoesOnAfterATimeout) {
    const auto producer = init();
    add(producer, 0);
    host.advance_ms(60'000);
    EXPECT_EQ(end_code(producer, true), ErrorCode::invalid_txn_state);
    EXPECT_EQ(end(producer, false).producer_epoch, 1);
    EXPECT_EQ(init(producer).epoch, 1);
}

TEST_F(TimersOfTransactions, AClassicOneIsFencedByATimeout) {
    const auto producer = init();
    add(producer, 0, kClassic);
    host.advance_ms(60'000);
    EXPECT_EQ(end_code(producer, false, kClassic), ErrorCode::producer_fenced);
    EXPECT_EQ(init_code(producer), ErrorCode::producer_fenced);
}

TEST_F(TimersOfTransactions, ATimeoutThatNeedsAnIdIsTriedAgain) {
    init();
    const auto last = set_epoch(kLastEpoch);
    add(last, 0);
    host.ids().is_empty = true;
    host.advance_ms(60'000);
    EXPECT_EQ(state(), ongoing);
    host.ids().is_empty = false;
    host.advance_ms(100);
    EXPECT_EQ(state(), complete_abort);
}

TEST_F(TimersOfTransactions, AnAbortThatIsNotAppendedIsTriedAgain) {
    const auto producer = init();
    add(producer, 0);
    host.fail_next_append(ErrorCode::not_enough_replicas);
    host.advance_ms(60'000);
    EXPECT_EQ(state(), complete_abort);
    EXPECT_EQ(host.last(kId).epoch, 1);
    EXPECT_EQ(host.transactions().figures().timed_out, 1U);
}

TEST_F(TimersOfTransactions, IdsThatNobodyUsesExpire) {
    init();
    host.advance_ms(7 * kDay - 1);
    EXPECT_TRUE(is_known());
    host.advance_ms(1);
    EXPECT_FALSE(is_known());
    EXPECT_FALSE(host.log().back().value.has_value());
    EXPECT_EQ(host.transactions().figures().ids, 0U);
    host.take_over();
    EXPECT_FALSE(is_known());
    EXPECT_EQ(init().id, ProducerId(1001));
}

TEST_F(TimersOfTransactions, WhatIsUsedDoesNotExpire) {
    auto producer = init();
    host.advance_ms(6 * kDay);
    add(producer, 0);
    end(producer, true);
    host.advance_ms(6 * kDay);
    EXPECT_TRUE(is_known());
    host.take_over();
    host.advance_ms(kDay - 1);
    EXPECT_TRUE(is_known());
    host.advance_ms(1);
    EXPECT_FALSE(is_known());
}

TEST_F(TimersOfTransactions, AnIdWhoseTombstoneIsNotAppendedStaysAWhile) {
    init();
    host.fail_next_append(ErrorCode::not_enough_replicas);
    host.advance_ms(7 * kDay);
    EXPECT_TRUE(is_known());
    host.advance_ms(100);
    EXPECT_FALSE(is_known());
}

TEST_F(TimersOfTransactions, ManyExpireInBatches) {
    constexpr int kMany = 20'000;
    for (int i = 0; i < kMany; ++i) {
        auto request = init_request();
        request.transactional_id = std::string(100, 'x') + std::to_string(i);
        host.ask(request);
    }
    EXPECT_EQ(host.transactions().figures().ids, std::size_t{kMany});
    host.advance_ms(7 * kDay);
    EXPECT_EQ(host.transactions().figures().ids, 0U);
    EXPECT_EQ(host.log().size(), std::size_t{2 * kMany});
}

TEST_F(TimersOfTransactions, NothingIsDueOfNothing) {
    EXPECT_EQ(host.transactions().deadline(), env::kNever);
    EXPECT_TRUE(host.transactions().tick(host.time()).records.empty());
}

}  // namespace
}  // namespace milena::coordinator::test

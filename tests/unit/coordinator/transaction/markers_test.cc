// SPDX-License-Identifier: Apache-2.0
// A transaction is complete when each of its partitions has its marker, and not before.
#include <gtest/gtest.h>

#include "transaction_host.h"

namespace milena::coordinator::test {
namespace {

using enum TransactionState;

class MarkersOfTransaction : public testing::Test, protected TransactionTest {
protected:
    MarkersOfTransaction() { host.hold_markers(); }

    /// Decides a transaction over partitions 0 and 1, and gives the order of its markers.
    MarkerOrder decide(bool commit) {
        const auto producer = init();
        add(producer, 0);
        add(producer, 1);
        EXPECT_EQ(end_code(producer, commit), ErrorCode::none);
        return host.orders().back();
    }
    void result(const MarkerOrder& order, std::int32_t index, ErrorCode code) {
        auto some = order;
        some.partitions = {partition(index)};
        host.mark(result_of(some, code));
    }
};

TEST_F(MarkersOfTransaction, TheOrderNamesWhatAMarkerHas) {
    const auto order = decide(true);
    EXPECT_EQ(order, (MarkerOrder{.transactional_id = kId,
                                  .producer_id = ProducerId(1000),
                                  .producer_epoch = 1,
                                  .commit = true,
                                  .coordinator_epoch = 7,
                                  .version = kByEpoch,
                                  .partitions = {partition(0), partition(1)}}));
}

TEST_F(MarkersOfTransaction, NoneLeavesBeforeTheDecisionIsCommitted) {
    const auto producer = init();
    host.hold();
    host.ask(add_request(producer, {partition(0)}));
    host.ask(end_request(producer, true));
    host.commit_to(host.high_watermark().next());
    EXPECT_TRUE(host.orders().empty());
    host.commit_to(host.high_watermark().next());
    EXPECT_EQ(host.orders().size(), 1U);
}

TEST_F(MarkersOfTransaction, EachPartitionNeedsOne) {
    const auto order = decide(true);
    result(order, 1, ErrorCode::none);
    EXPECT_EQ(state(), prepare_commit);
    // Once more the same is no other one.
    result(order, 1, ErrorCode::none);
    EXPECT_EQ(state(), prepare_commit);
    result(order, 0, ErrorCode::none);
    EXPECT_EQ(state(), complete_commit);
}

TEST_F(MarkersOfTransaction, WhatFailedIsOrderedAgain) {
    for (const auto code :
         {ErrorCode::unknown_topic_or_partition, ErrorCode::not_leader_or_follower,
          ErrorCode::not_enough_replicas, ErrorCode::not_enough_replicas_after_append,
          ErrorCode::request_timed_out, ErrorCode::kafka_storage_error,
          ErrorCode::network_exception, ErrorCode::transaction_coordinator_fenced,
          ErrorCode::unknown_server_error, ErrorCode::corrupt_message}) {
        const auto order = decide(false);
        const auto orders = host.orders().size();
        result(order, 0, code);
        result(order, 1, ErrorCode::none);
        EXPECT_EQ(host.orders().size(), orders);
        host.advance_ms(100);
        ASSERT_EQ(host.orders().size(), orders + 1);
        EXPECT_EQ(host.orders().back().partitions, std::vector{partition(0)});
        EXPECT_EQ(state(), prepare_abort);
        // It is on its way, so nothing is due.
        host.advance_ms(3'600'000);
        EXPECT_EQ(host.orders().size(), orders + 1);
        result(order, 0, ErrorCode::none);
        EXPECT_EQ(state(), complete_abort);
    }
}

TEST_F(MarkersOfTransaction, SomePartitionsNeedNone) {
    for (const auto code :
         {ErrorCode::invalid_producer_epoch, ErrorCode::unsupported_for_message_format,
          ErrorCode::unsupported_version}) {
        const auto order = decide(true);
        result(order, 0, code);
        result(order, 1, ErrorCode::none);
        EXPECT_EQ(state(), complete_commit);
    }
    const auto order = decide(true);
    host.mark(result_of(order, ErrorCode::unknown_topic_or_partition, true));
    EXPECT_EQ(state(), complete_commit);
}

TEST_F(MarkersOfTransaction, ResultsOfAnotherTransactionCountForNothing) {
    auto order = decide(true);
    auto other = result_of(order, ErrorCode::none);
    other.producer_epoch = 0;
    host.mark(other);
    other = result_of(order, ErrorCode::none);
    other.producer_id = ProducerId(7);
    host.mark(other);
    other = result_of(order, ErrorCode::none);
    other.transactional_id = "another";
    host.mark(other);
    EXPECT_EQ(state(), prepare_commit);
    host.mark(result_of(order, ErrorCode::none));
    EXPECT_EQ(state(), complete_commit);
    host.mark(result_of(order, ErrorCode::none));
    EXPECT_EQ(state(), complete_commit);
}

TEST_F(MarkersOfTransaction, ALastRecordThatIsNotAppendedIsTriedAgain) {
    const auto order = decide(true);
    host.fail_next_append(ErrorCode::not_enough_replicas);
    host.mark(result_of(order, ErrorCode::none));
    EXPECT_EQ(state(), prepare_commit);
    host.advance_ms(100);
    EXPECT_EQ(state(), complete_commit);
}

TEST_F(MarkersOfTransaction, AnAbortOfNothingNeedsNone) {
    const auto producer = init();
    host.hold();
    host.ask(end_request(producer, false));
    host.release();
    EXPECT_TRUE(host.orders().empty());
    EXPECT_EQ(state(), complete_abort);
}

TEST_F(MarkersOfTransaction, ALastRecordOfNothingThatIsNotAppendedIsTriedAgain) {
    const auto producer = init();
    host.hold();
    host.ask(end_request(producer, false));
    host.fail_next_append(ErrorCode::not_enough_replicas);
    host.release();
    EXPECT_EQ(state(), prepare_abort);
    host.advance_ms(100);
    EXPECT_EQ(state(), complete_abort);
}

TEST_F(MarkersOfTransaction, WhoTakesOverOrdersThemAgain) {
    const auto order = decide(true);
    result(order, 0, ErrorCode::none);
    host.take_over();
    host.advance_ms(0);
    ASSERT_EQ(host.orders().size(), 1U);
    auto again = order;
    again.coordinator_epoch = 8;
    EXPECT_EQ(host.orders().front(), again);
    host.mark(ErrorCode::none);
    EXPECT_EQ(state(), complete_commit);
    host.check_replay();
}

}  // namespace
}  // namespace milena::coordinator::test

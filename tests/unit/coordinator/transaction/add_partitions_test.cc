// SPDX-License-Identifier: Apache-2.0
// Partitions come into a transaction if they are its producer's, and are found in it.
#include <gtest/gtest.h>

#include "transaction_host.h"

namespace milena::coordinator::test {
namespace {

class AddPartitions : public testing::Test, protected TransactionTest {
protected:
    AddPartitionsReply verify(Producer producer, std::vector<TransactionPartition> partitions) {
        return host.reply<AddPartitionsReply>(verify_request(producer, std::move(partitions)));
    }
};

TEST_F(AddPartitions, TheFirstBeginsTheTransaction) {
    const auto producer = init();
    const auto now = host.time().wall_ms;
    EXPECT_EQ(add(producer, 3), ErrorCode::none);
    auto said = host.last(kId);
    EXPECT_EQ(said.state, TransactionState::ongoing);
    EXPECT_EQ(said.start_ms, now);
    EXPECT_EQ(said.version, kByEpoch);
    host.advance_ms(10);
    EXPECT_EQ(add(producer, 1), ErrorCode::none);
    said = host.last(kId);
    EXPECT_EQ(said.start_ms, now);
    EXPECT_EQ(said.updated_ms, now + 10);
    EXPECT_EQ(said.partitions, (std::set{partition(1), partition(3)}));
}

TEST_F(AddPartitions, WhatIsInItIsNotWrittenAgain) {
    const auto producer = init();
    add(producer, 0);
    EXPECT_EQ(add(producer, 0), ErrorCode::none);
    EXPECT_EQ(host.written_by_last(), 0U);
}

TEST_F(AddPartitions, OnlyItsProducerMay) {
    EXPECT_EQ(add({ProducerId(1000), 0}, 0), ErrorCode::invalid_producer_id_mapping);
    init();
    const auto second = init();
    EXPECT_EQ(add({ProducerId(7), 1}, 0), ErrorCode::invalid_producer_id_mapping);
    EXPECT_EQ(add({kNoProducer, -1}, 0), ErrorCode::invalid_producer_id_mapping);
    EXPECT_EQ(add({second.id, 0}, 0), ErrorCode::producer_fenced);
    EXPECT_EQ(add({second.id, 2}, 0), ErrorCode::producer_fenced);
    auto request = add_request(second, {partition(0)});
    request.transactional_id.clear();
    EXPECT_EQ(host.reply<AddPartitionsReply>(request).code, ErrorCode::invalid_request);
    EXPECT_EQ(host.log().size(), 2U);
}

TEST_F(AddPartitions, NotWhileTheLastOneIsCompleted) {
    const auto producer = init();
    add(producer, 0, kClassic);
    host.hold_markers();
    end(producer, true, kClassic);
    EXPECT_EQ(add(producer, 1, kClassic), ErrorCode::concurrent_transactions);
    host.mark(ErrorCode::none);
    EXPECT_EQ(add(producer, 1, kClassic), ErrorCode::none);
    EXPECT_EQ(host.last(kId).partitions, std::set{partition(1)});
}

TEST_F(AddPartitions, TheNextTransactionHasTheNextEpoch) {
    const auto producer = init();
    add(producer, 0);
    host.hold_markers();
    const auto told = end(producer, true);
    const Producer next{told.producer_id, told.producer_epoch};
    EXPECT_EQ(add(next, 1), ErrorCode::concurrent_transactions);
    EXPECT_EQ(add(producer, 1), ErrorCode::producer_fenced);
    host.mark(ErrorCode::none);
    EXPECT_EQ(add(producer, 1), ErrorCode::producer_fenced);
    EXPECT_EQ(add(next, 1), ErrorCode::none);
}

TEST_F(AddPartitions, TheNextProducerIsKnownWhileTheLastIsCompleted) {
    init();
    const auto last = set_epoch(kLastEpoch);
    add(last, 0);
    host.hold_markers();
    const auto told = end(last, true);
    EXPECT_EQ(told.producer_id, ProducerId(1001));
    EXPECT_EQ(told.producer_epoch, 0);
    const Producer next{told.producer_id, told.producer_epoch};
    EXPECT_EQ(add(next, 1), ErrorCode::concurrent_transactions);
    EXPECT_EQ(add(last, 1), ErrorCode::producer_fenced);
    host.mark(ErrorCode::none);
    EXPECT_EQ(add(last, 1), ErrorCode::invalid_producer_id_mapping);
    EXPECT_EQ(add(next, 1), ErrorCode::none);
}

TEST_F(AddPartitions, VerifyingAddsNothing) {
    const auto producer = init();
    EXPECT_EQ(verify(producer, {partition(0)}).partitions,
              std::vector{ErrorCode::transaction_abortable});
    add(producer, 0, kClassic);
    const auto told = verify(producer, {partition(1), partition(0)});
    EXPECT_EQ(told.code, ErrorCode::none);
    EXPECT_EQ(told.partitions, (std::vector{ErrorCode::transaction_abortable, ErrorCode::none}));
    EXPECT_EQ(host.last(kId).partitions, std::set{partition(0)});
    EXPECT_EQ(verify({producer.id, 1}, {partition(0)}).code, ErrorCode::producer_fenced);
    EXPECT_EQ(verify({ProducerId(7), 0}, {partition(0)}).code,
              ErrorCode::invalid_producer_id_mapping);
    host.hold_markers();
    end(producer, true, kClassic);
    EXPECT_EQ(verify(producer, {partition(0)}).code, ErrorCode::concurrent_transactions);
    host.mark(ErrorCode::none);
    // It comes late: the transaction is over.
    EXPECT_EQ(verify(producer, {partition(0)}).partitions,
              std::vector{ErrorCode::transaction_abortable});
}

TEST_F(AddPartitions, VerifyingWaitsForWhatItHasSeen) {
    const auto producer = init();
    host.hold();
    host.ask(add_request(producer, {partition(0)}, kClassic));
    const Ticket ticket = host.ask(verify_request(producer, {partition(0)}));
    EXPECT_FALSE(host.has_been_told(ticket));
    host.release();
    EXPECT_TRUE(host.has_been_told(ticket));
}

TEST_F(AddPartitions, NoMoreThanOneRecordMayHave) {
    const auto producer = init();
    std::vector<TransactionPartition> many;
    for (std::int32_t i = 0; i < 300'000; ++i) many.push_back(partition(i));
    EXPECT_EQ(host.reply<AddPartitionsReply>(add_request(producer, many)).code,
              ErrorCode::unknown_server_error);
    EXPECT_EQ(state(), TransactionState::empty);
}

TEST_F(AddPartitions, NoMoreThanAllTransactionsMayHave) {
    TransactionHost small({.partitions_max = 2});
    const auto told = small.reply<InitProducerReply>(init_request());
    const Producer producer{told.producer_id, told.producer_epoch};
    const auto add = [&](std::vector<TransactionPartition> partitions) {
        return small.reply<AddPartitionsReply>(add_request(producer, std::move(partitions))).code;
    };
    EXPECT_EQ(add({partition(0), partition(1)}), ErrorCode::none);
    EXPECT_EQ(add({partition(2)}), ErrorCode::coordinator_load_in_progress);
    EXPECT_EQ(small.transactions().figures().partitions, 2U);
}

TEST_F(AddPartitions, AClassicClusterHasClassicTransactions) {
    host.follow(TransactionVersion::classic);
    const auto producer = init();
    EXPECT_EQ(add(producer, 0, kByEpoch), ErrorCode::none);
    const auto told = end(producer, true, kByEpoch);
    EXPECT_EQ(told.code, ErrorCode::none);
    EXPECT_EQ(told.producer_epoch, producer.epoch);
    EXPECT_EQ(add(producer, 1, kByEpoch), ErrorCode::none);
    host.check_replay();
}

}  // namespace
}  // namespace milena::coordinator::test

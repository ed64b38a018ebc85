// SPDX-License-Identifier: Apache-2.0
// What one is told of transactions.
#include <gtest/gtest.h>

#include "transaction_host.h"

namespace milena::coordinator::test {
namespace {

class DescribeTransactions : public testing::Test, protected TransactionTest {
protected:
    std::string listed(ListTransactionsRequest request) {
        const auto told = host.reply<ListTransactionsReply>(std::move(request));
        EXPECT_EQ(told.code, ErrorCode::none);
        std::string ids;
        for (const auto& one : told.transactions) ids += one.transactional_id + " ";
        for (const auto& state : told.unknown_states) ids += "?" + state;
        return ids;
    }
    Producer init_as(const std::string& id) {
        auto request = init_request();
        request.transactional_id = id;
        const auto told = host.reply<InitProducerReply>(request);
        return {told.producer_id, told.producer_epoch};
    }
};

TEST_F(DescribeTransactions, SaysWhatTheLastRecordSays) {
    const auto producer = init();
    add(producer, 1);
    add(producer, 0);
    const auto told = host.reply<DescribeTransactionReply>(DescribeTransactionRequest{kId});
    EXPECT_EQ(told.code, ErrorCode::none);
    EXPECT_EQ(told.state, TransactionState::ongoing);
    EXPECT_EQ(told.timeout_ms, 60'000);
    EXPECT_EQ(told.start_ms, host.time().wall_ms);
    EXPECT_EQ(told.producer_id, producer.id);
    EXPECT_EQ(told.producer_epoch, 0);
    EXPECT_EQ(told.partitions, (std::vector{partition(0), partition(1)}));
}

TEST_F(DescribeTransactions, KnowsOnlyWhatThereIs) {
    const auto code = [&](const std::string& id) {
        return host.reply<DescribeTransactionReply>(DescribeTransactionRequest{id}).code;
    };
    EXPECT_EQ(code("nope"), ErrorCode::transactional_id_not_found);
    EXPECT_EQ(code(""), ErrorCode::invalid_request);
}

TEST_F(DescribeTransactions, ListsByEachFilter) {
    const auto producer = init();
    init_as("other");
    add(producer, 0);
    EXPECT_EQ(listed({}), "other tx ");
    EXPECT_EQ(listed({.states = {"Ongoing"}}), "tx ");
    EXPECT_EQ(listed({.states = {"Empty", "Ongoing"}}), "other tx ");
    EXPECT_EQ(listed({.states = {"PrepareCommit"}}), "");
    EXPECT_EQ(listed({.states = {"Dead", "PrepareEpochFence"}}), "");
    EXPECT_EQ(listed({.states = {"Ongoing", "Running"}}), "tx ?Running");
    EXPECT_EQ(listed({.states = {"ongoing"}}), "?ongoing");
    EXPECT_EQ(listed({.producer_ids = {producer.id}}), "tx ");
    EXPECT_EQ(listed({.producer_ids = {ProducerId(7)}}), "");
    EXPECT_EQ(listed({.pattern = "t.*"}), "tx ");
    EXPECT_EQ(listed({.pattern = "t"}), "");
    EXPECT_EQ(listed({.pattern = ""}), "other tx ");
    EXPECT_EQ(listed({.states = {"Empty"}, .pattern = "tx"}), "");
}

TEST_F(DescribeTransactions, ListsByDuration) {
    const auto producer = init();
    add(producer, 0);
    EXPECT_EQ(listed({.duration_ms = 0}), "");
    host.advance_ms(1000);
    EXPECT_EQ(listed({.duration_ms = 1000}), "");
    EXPECT_EQ(listed({.duration_ms = 999}), "tx ");
    end(producer, true);
    EXPECT_EQ(listed({.duration_ms = 999}), "tx ");
}

TEST_F(DescribeTransactions, RefusesWhatIsNoPattern) {
    const auto told = host.reply<ListTransactionsReply>(ListTransactionsRequest{.pattern = "("});
    EXPECT_EQ(told.code, ErrorCode::invalid_regular_expression);
    EXPECT_TRUE(told.transactions.empty());
}

TEST_F(DescribeTransactions, CountsThem) {
    init_as("a");
    const auto producer = init();
    add(producer, 0);
    add(producer, 1);
    auto figures = host.transactions().figures();
    EXPECT_EQ(figures.ids, 2U);
    EXPECT_EQ(figures.empty, 1U);
    EXPECT_EQ(figures.ongoing, 1U);
    EXPECT_EQ(figures.partitions, 2U);
    host.hold_markers();
    end(producer, true);
    figures = host.transactions().figures();
    EXPECT_EQ(figures.preparing, 1U);
    EXPECT_EQ(figures.partitions, 2U);
    host.release_markers();
    figures = host.transactions().figures();
    EXPECT_EQ(figures.complete, 1U);
    EXPECT_EQ(figures.partitions, 0U);
}

}  // namespace
}  // namespace milena::coordinator::test

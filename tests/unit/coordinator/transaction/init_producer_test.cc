// SPDX-License-Identifier: Apache-2.0
// Who may be the producer of a transactional id, and with which epoch.
#include <gtest/gtest.h>

#include "transaction_host.h"

namespace milena::coordinator::test {
namespace {

class InitProducer : public testing::Test, protected TransactionTest {
protected:
    ErrorCode code_of(InitProducerRequest request) {
        return host.reply<InitProducerReply>(std::move(request)).code;
    }
};

TEST_F(InitProducer, ANewIdHasANewProducer) {
    const auto told = host.reply<InitProducerReply>(init_request());
    EXPECT_EQ(told.code, ErrorCode::none);
    EXPECT_EQ(told.producer_id, ProducerId(1000));
    EXPECT_EQ(told.producer_epoch, 0);
    const auto said = host.last(kId);
    EXPECT_EQ(said.state, TransactionState::empty);
    EXPECT_EQ(said.previous_producer_id, ProducerId(1000));
    EXPECT_EQ(said.timeout_ms, 60'000);
    EXPECT_EQ(said.start_ms, -1);
}

TEST_F(InitProducer, WhoComesNextHasTheNextEpoch) {
    init();
    const auto second = init();
    EXPECT_EQ(second.id, ProducerId(1000));
    EXPECT_EQ(second.epoch, 1);
}

TEST_F(InitProducer, RequestsThatMakeNoSense) {
    auto request = init_request();
    request.transactional_id.clear();
    EXPECT_EQ(code_of(request), ErrorCode::invalid_request);
    EXPECT_EQ(code_of(init_request({ProducerId(5), -1})), ErrorCode::invalid_request);
    EXPECT_EQ(code_of(init_request({kNoProducer, 5})), ErrorCode::invalid_request);
    for (const std::int32_t timeout : {0, -1, 900'001}) {
        request = init_request();
        request.timeout_ms = timeout;
        EXPECT_EQ(code_of(request), ErrorCode::invalid_transaction_timeout) << timeout;
    }
    request = init_request();
    request.enable_2pc = true;
    EXPECT_EQ(code_of(request), ErrorCode::transactional_id_authorization_failed);
    request = init_request();
    request.keep_prepared = true;
    EXPECT_EQ(code_of(request), ErrorCode::unsupported_version);
    request = init_request();
    request.transactional_id = std::string(40'000, 'x');
    EXPECT_EQ(code_of(request), ErrorCode::invalid_request);
    EXPECT_TRUE(host.log().empty());
    request = init_request();
    request.timeout_ms = 900'000;
    EXPECT_EQ(code_of(request), ErrorCode::none);
}

TEST_F(InitProducer, WithoutIdsAtHandItIsToComeAgain) {
    host.ids().is_empty = true;
    EXPECT_EQ(init_code(), ErrorCode::coordinator_load_in_progress);
    EXPECT_TRUE(host.log().empty());
    host.ids().is_empty = false;
    EXPECT_EQ(init_code(), ErrorCode::none);
}

TEST_F(InitProducer, OneThatSaysWhoItWasGoesOn) {
    const auto first = init();
    const auto second = init(first);
    EXPECT_EQ(second.epoch, 1);
    // It has not heard that, and asks again.
    const auto again = init(first);
    EXPECT_EQ(again.id, second.id);
    EXPECT_EQ(again.epoch, 1);
    EXPECT_EQ(init(second).epoch, 2);
    EXPECT_EQ(init_code(first), ErrorCode::producer_fenced);
}

TEST_F(InitProducer, OneThatWasFencedStaysSo) {
    const auto first = init();
    init();
    EXPECT_EQ(init_code(first), ErrorCode::producer_fenced);
    EXPECT_EQ(init_code({ProducerId(7), 1}), ErrorCode::producer_fenced);
    EXPECT_EQ(init_code({first.id, 2}), ErrorCode::producer_fenced);
}

TEST_F(InitProducer, OneWhoseIdHasExpiredHasANewProducer) {
    const auto told = host.reply<InitProducerReply>(init_request({ProducerId(7), 4}));
    EXPECT_EQ(told.code, ErrorCode::none);
    EXPECT_EQ(told.producer_id, ProducerId(1000));
    EXPECT_EQ(told.producer_epoch, 0);
}

TEST_F(InitProducer, UsedUpEpochsAreFollowedByTheNextId) {
    init();
    const auto last = set_epoch(kLastEpoch - 1);
    EXPECT_EQ(init(last).epoch, kLastEpoch);
    const auto next = init({last.id, kLastEpoch});
    EXPECT_EQ(next.id, ProducerId(1001));
    EXPECT_EQ(next.epoch, 0);
    // It has not heard that.
    const auto again = init({last.id, kLastEpoch});
    EXPECT_EQ(again.id, next.id);
    EXPECT_EQ(again.epoch, 0);
    EXPECT_EQ(init_code(last), ErrorCode::producer_fenced);
    EXPECT_EQ(init().epoch, 1);
    EXPECT_EQ(init_code({last.id, kLastEpoch}), ErrorCode::producer_fenced);
}

TEST_F(InitProducer, UsedUpEpochsNeedAnId) {
    init();
    set_epoch(kLastEpoch);
    host.ids().is_empty = true;
    EXPECT_EQ(init_code(), ErrorCode::coordinator_load_in_progress);
    host.ids().is_empty = false;
    EXPECT_EQ(init().id, ProducerId(1001));
}

class InitProducerOfOpen : public InitProducer,
                           public testing::WithParamInterface<TransactionVersion> {};

TEST_P(InitProducerOfOpen, AbortsItFirst) {
    const auto first = init();
    EXPECT_EQ(add(first, 0, GetParam()), ErrorCode::none);
    host.hold_markers();
    EXPECT_EQ(init_code(), ErrorCode::concurrent_transactions);
    EXPECT_EQ(state(), TransactionState::prepare_abort);
    EXPECT_EQ(host.last(kId).epoch, 1);
    EXPECT_EQ(host.orders().at(0).producer_epoch, 1);
    EXPECT_FALSE(host.orders().at(0).commit);
    EXPECT_EQ(init_code(), ErrorCode::concurrent_transactions);
    host.mark(ErrorCode::none);
    const auto second = init();
    EXPECT_EQ(second.epoch, 2);
    EXPECT_EQ(add(first, 1, GetParam()), ErrorCode::producer_fenced);
    EXPECT_EQ(end_code(first, true, GetParam()), ErrorCode::producer_fenced);
}

TEST_P(InitProducerOfOpen, OnlyThePresentProducerMayWhoSaysWhoItWas) {
    const auto first = init();
    const auto second = init(first);
    EXPECT_EQ(add(second, 0, GetParam()), ErrorCode::none);
    // It comes late, or again: somebody uses what it would be told.
    EXPECT_EQ(init_code(first), ErrorCode::producer_fenced);
    EXPECT_EQ(init_code({ProducerId(7), 1}), ErrorCode::producer_fenced);
    EXPECT_EQ(state(), TransactionState::ongoing);
    EXPECT_EQ(init_code(second), ErrorCode::concurrent_transactions);
    EXPECT_EQ(state(), TransactionState::complete_abort);
}

TEST_P(InitProducerOfOpen, UsesUpTheLastEpoch) {
    init();
    const auto last = set_epoch(kLastEpoch);
    EXPECT_EQ(add(last, 0, GetParam()), ErrorCode::none);
    EXPECT_EQ(init_code(), ErrorCode::concurrent_transactions);
    const auto next = init();
    EXPECT_EQ(next.id, ProducerId(1001));
    EXPECT_EQ(init(next).id, next.id);
    EXPECT_NE(add(last, 0, GetParam()), ErrorCode::none);
}

INSTANTIATE_TEST_SUITE_P(Versions, InitProducerOfOpen, testing::Values(kClassic, kByEpoch));

TEST_F(InitProducer, AFenceThatNeedsAnIdIsTriedAgain) {
    init();
    const auto last = set_epoch(kLastEpoch);
    add(last, 0);
    host.ids().is_empty = true;
    EXPECT_EQ(init_code(), ErrorCode::coordinator_load_in_progress);
    EXPECT_EQ(state(), TransactionState::ongoing);
}

TEST_F(InitProducer, NoMoreIdsThanItMayRemember) {
    TransactionHost small({.ids_max = 1});
    small.reply<InitProducerReply>(init_request());
    auto request = init_request();
    request.transactional_id = "another";
    EXPECT_EQ(small.reply<InitProducerReply>(request).code,
              ErrorCode::coordinator_load_in_progress);
    EXPECT_EQ(small.reply<InitProducerReply>(init_request()).code, ErrorCode::none);
}

}  // namespace
}  // namespace milena::coordinator::test

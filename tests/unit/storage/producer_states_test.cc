// SPDX-License-Identifier: Apache-2.0
// Sequences, epochs and transactions of producers, batch by batch.
#include "producers/producer_states.h"

#include <gtest/gtest.h>

#include "support/producers.h"

namespace milena::storage {
namespace {

using support::Marker;
using support::Sent;

class ProducerStatesTest : public ::testing::Test {
protected:
    /// What a client's batch is answered: NONE, or the error.
    ErrorCode check(const Sent& sent) {
        const auto bytes = support::sent_batch(0, sent);
        const auto checked = states.check(record::BatchView(bytes));
        return checked ? ErrorCode::none : checked.error().code;
    }
    std::optional<ProducedBatch> duplicate(const Sent& sent) {
        const auto bytes = support::sent_batch(0, sent);
        return states.check(record::BatchView(bytes)).value();
    }
    void append(const Sent& sent) {
        const auto bytes = support::sent_batch(end, sent);
        states.note(record::BatchView(bytes));
        end += sent.records;
    }
    std::optional<EndedTransaction> append(const Marker& marker) {
        const auto bytes = support::marker_batch(end++, marker);
        return states.note(end_marker_of(record::BatchView(bytes)).value());
    }

    ProducerStates states;
    std::int64_t end = 0;
};

TEST_F(ProducerStatesTest, AnUnknownProducerMayBeginAnywhere) {
    EXPECT_EQ(check({.sequence = 17}), ErrorCode::none);
    append({.sequence = 17, .records = 2});
    EXPECT_EQ(check({.sequence = 19}), ErrorCode::none);
    EXPECT_EQ(check({.sequence = 20}), ErrorCode::out_of_order_sequence_number);
    EXPECT_EQ(check({.sequence = 18}), ErrorCode::out_of_order_sequence_number);
}

TEST_F(ProducerStatesTest, ZeroFollowsTheGreatestSequence) {
    append({.sequence = INT32_MAX - 1, .records = 2});
    EXPECT_EQ(check({.sequence = 0}), ErrorCode::none);
    EXPECT_EQ(check({.sequence = 1}), ErrorCode::out_of_order_sequence_number);
}

TEST_F(ProducerStatesTest, ABatchThatCrossesTheGreatestSequenceIsKnownAgain) {
    append({.sequence = INT32_MAX - 1, .records = 5});
    EXPECT_EQ(check({.sequence = 3}), ErrorCode::none);
    const auto before = duplicate({.sequence = INT32_MAX - 1, .records = 5});
    ASSERT_TRUE(before);
    EXPECT_EQ(before->base_offset(), Offset(0));
    EXPECT_EQ(before->last_sequence, 2);
}

TEST_F(ProducerStatesTest, TheLastFiveBatchesAreKnownAgainAndNoOther) {
    for (int batch = 0; batch < 7; ++batch) append({.sequence = 2 * batch, .records = 2});
    for (int batch = 2; batch < 7; ++batch) {
        const auto before = duplicate({.sequence = 2 * batch, .records = 2});
        ASSERT_TRUE(before) << batch;
        EXPECT_EQ(before->base_offset(), Offset(2 * batch));
        EXPECT_EQ(before->last_offset, Offset(2 * batch + 1));
    }
    EXPECT_EQ(check({.sequence = 2, .records = 2}), ErrorCode::out_of_order_sequence_number);
    EXPECT_EQ(check({.sequence = 12, .records = 1}), ErrorCode::out_of_order_sequence_number);
}

TEST_F(ProducerStatesTest, AnEpochBeginsAtZeroAndEndsTheOneBefore) {
    append({.epoch = 3, .sequence = 5});
    EXPECT_EQ(check({.epoch = 4, .sequence = 6}), ErrorCode::out_of_order_sequence_number);
    EXPECT_EQ(check({.epoch = 4, .sequence = 0}), ErrorCode::none);
    append({.epoch = 4, .sequence = 0});
    EXPECT_EQ(check({.epoch = 3, .sequence = 5}), ErrorCode::invalid_producer_epoch);
    EXPECT_EQ(check({.epoch = 4, .sequence = 1}), ErrorCode::none);
}

TEST_F(ProducerStatesTest, AMarkerOfALaterEpochBeginsThatEpoch) {
    append({.sequence = 0, .is_transactional = true});
    append(Marker{.epoch = 1, .coordinator_epoch = 6});
    EXPECT_EQ(check({.epoch = 0, .sequence = 1}), ErrorCode::invalid_producer_epoch);
    EXPECT_EQ(check({.epoch = 1, .sequence = 1}), ErrorCode::out_of_order_sequence_number);
    EXPECT_EQ(check({.epoch = 1, .sequence = 0}), ErrorCode::none);
    EXPECT_EQ(states.find(ProducerId(7))->coordinator_epoch, 6);
}

TEST_F(ProducerStatesTest, AMarkerOfTheSameEpochKeepsTheSequence) {
    append({.sequence = 0, .is_transactional = true});
    append(Marker{});
    EXPECT_EQ(check({.sequence = 1, .is_transactional = true}), ErrorCode::none);
    EXPECT_TRUE(duplicate({.sequence = 0, .is_transactional = true}));
}

TEST_F(ProducerStatesTest, AnOpenTransactionTakesNoOtherBatches) {
    append({.sequence = 0, .is_transactional = true});
    EXPECT_EQ(check({.sequence = 1}), ErrorCode::invalid_txn_state);
    EXPECT_EQ(check({.sequence = 1, .is_transactional = true}), ErrorCode::none);
}

TEST_F(ProducerStatesTest, ATransactionIsUnstableUntilItsMarkerIsReplicated) {
    EXPECT_EQ(states.first_unstable(Offset(0)), std::nullopt);
    append({.producer = 1, .sequence = 0});
    append({.producer = 7, .sequence = 0, .is_transactional = true});
    append({.producer = 8, .sequence = 0, .is_transactional = true});
    EXPECT_EQ(states.first_unstable(Offset(3)), Offset(1));
    append(Marker{.producer = 7});  // at offset 3
    EXPECT_EQ(states.first_unstable(Offset(3)), Offset(1));
    EXPECT_EQ(states.first_unstable(Offset(4)), Offset(2));
    append(Marker{.producer = 8});
    EXPECT_EQ(states.first_unstable(Offset(4)), Offset(2));
    EXPECT_EQ(states.first_unstable(Offset(5)), std::nullopt);
}

/// Otherwise what was cleaned, or told, up to there would be taken back with the next cut.
TEST_F(ProducerStatesTest, ATransactionStaysUnstableWhenTheLogIsReadAgain) {
    append({.producer = 7, .sequence = 0, .is_transactional = true});
    append({.producer = 8, .sequence = 0, .is_transactional = true});
    append(Marker{.producer = 7});  // at offset 2
    append(Marker{.producer = 8});  // at offset 3
    states.begin_again(Offset(3));
    EXPECT_EQ(states.first_unstable(Offset(2)), Offset(0));
    EXPECT_EQ(states.first_unstable(Offset(3)), std::nullopt) << "the other's marker is cut off";
}

TEST_F(ProducerStatesTest, AnEndedTransactionTellsWhatIsStableAfterIt) {
    append({.producer = 7, .sequence = 0, .is_transactional = true});
    append({.producer = 8, .sequence = 0, .is_transactional = true});
    const auto aborted = append(Marker{.producer = 8, .is_abort = true});
    ASSERT_TRUE(aborted);
    EXPECT_TRUE(aborted->is_abort);
    EXPECT_EQ(aborted->first_offset, Offset(1));
    EXPECT_EQ(aborted->last_offset, Offset(2));
    EXPECT_EQ(aborted->last_stable_offset, Offset(0));
    EXPECT_EQ(append(Marker{.producer = 7})->last_stable_offset, Offset(4));
    EXPECT_FALSE(append(Marker{.producer = 7})) << "no transaction is open any more";
}

TEST_F(ProducerStatesTest, AControlBatchOfAnotherKindIsNoMarker) {
    auto bytes = support::marker_batch(0, {});
    // type 2, LEADER_CHANGE: record length, attributes, two deltas, key length, version, type
    store(bytes.data() + record::kBatchHeaderBytes + 7, std::int16_t{2});
    EXPECT_FALSE(end_marker_of(record::BatchView(bytes)));
    EXPECT_FALSE(end_marker_of(record::BatchView(support::sent_batch(0, {}))));
}

TEST_F(ProducerStatesTest, WhoeverIsSilentForTheExpirationIsForgottenUnlessATransactionIsOpen) {
    append({.producer = 1, .sequence = 4, .timestamp = 1000});
    append({.producer = 2, .sequence = 0, .is_transactional = true, .timestamp = 1000});
    append({.producer = 3, .sequence = 0, .timestamp = 1001});
    states.expire(Timestamp(1500), 500);
    EXPECT_EQ(states.find(ProducerId(1)), nullptr);
    EXPECT_NE(states.find(ProducerId(2)), nullptr);
    EXPECT_NE(states.find(ProducerId(3)), nullptr);
    EXPECT_EQ(check({.producer = 1, .sequence = 9}), ErrorCode::none);
}

TEST_F(ProducerStatesTest, BeyondTheBoundThoseGoThatWereSilentLongest) {
    states = ProducerStates(16);
    append({.producer = 100, .sequence = 0, .is_transactional = true, .timestamp = 0});
    for (int producer = 1; producer < 17; ++producer)
        append({.producer = producer, .sequence = 0, .timestamp = 1000 + producer});
    EXPECT_LE(states.size(), 16U);
    EXPECT_NE(states.find(ProducerId(100)), nullptr);
    EXPECT_EQ(states.find(ProducerId(1)), nullptr);
    EXPECT_EQ(states.find(ProducerId(2)), nullptr);
    EXPECT_NE(states.find(ProducerId(3)), nullptr);
    EXPECT_NE(states.find(ProducerId(16)), nullptr);
}

}  // namespace
}  // namespace milena::storage

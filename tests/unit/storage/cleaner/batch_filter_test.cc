// SPDX-License-Identifier: Apache-2.0
// What is left of single batches: by key, by age, by transaction and by producer.
#include "cleaner/batch_filter.h"

#include <gtest/gtest.h>

#include "milena/record/rewrite.h"
#include "support/producers.h"

namespace milena::storage {
namespace {

using support::BatchSpec;
using support::TestRecord;
using Outcome = FilteredBatch::Outcome;

constexpr Timestamp kNow{10'000};
constexpr std::int64_t kRetentionMs = 500;

class BatchFilterTest : public ::testing::Test {
protected:
    void newest(std::string_view key, std::int64_t offset) {
        ASSERT_TRUE(map.put(as_bytes(key), Offset(offset)));
    }
    Result<FilteredBatch> filter(const std::vector<std::byte>& batch, Timestamp now = kNow) {
        rules.now = now;
        BatchFilter one(map, last_in_map, producers, rules);
        one.transactions().add(aborted);
        return one.filter(record::BatchView(batch));
    }
    static std::vector<TestRecord> records(const FilteredBatch& left) {
        return *support::records_of(record::BatchView(left.bytes));
    }

    OffsetMap map{1 << 20, 0.9, {1, 2}};
    LastInMap last_in_map;
    std::vector<LastOfProducer> producers;
    std::vector<IndexedTransaction> aborted;
    FilterRules rules{
        .delete_retention_ms = kRetentionMs, .end = Offset(1000), .plain_bytes_max = 1 << 20};
};

std::vector<std::byte> three(record::Codec codec = record::Codec::none) {
    return support::make_batch({.base_offset = 10,
                                .leader_epoch = 4,
                                .codec = codec,
                                .records = {{.timestamp = 5, .key = "a", .value = "1"},
                                            {.timestamp = 9, .key = "b", .value = "2"},
                                            {.timestamp = 7,
                                             .key = "c",
                                             .value = "3",
                                             .headers = {{"h", "x"}, {"n", std::nullopt}}}}});
}

TEST_F(BatchFilterTest, TheNewestOfEachKeyStays) {
    newest("a", 10);
    newest("b", 30);
    newest("c", 12);
    const auto left = filter(three());
    ASSERT_TRUE(left);
    EXPECT_EQ(left->outcome, Outcome::rewritten);
    const record::BatchView batch(left->bytes);
    EXPECT_TRUE(batch.check_crc());
    EXPECT_EQ(batch.base_offset(), Offset(10));
    EXPECT_EQ(batch.last_offset(), Offset(12));
    EXPECT_EQ(batch.leader_epoch(), LeaderEpoch(4));
    EXPECT_EQ(batch.max_timestamp(), Timestamp(7)) << "the greatest of those that stay";
    EXPECT_EQ(records(*left),
              (std::vector<TestRecord>{{.timestamp = 5, .key = "a", .value = "1"},
                                       {.timestamp = 7,
                                        .key = "c",
                                        .value = "3",
                                        .headers = {{"h", "x"}, {"n", std::nullopt}}}}));
    std::vector<Offset> offsets;
    ASSERT_TRUE(record::for_each_record(batch, {}, [&](const record::RecordView& record) {
        offsets.push_back(record.offset);
        return true;
    }));
    EXPECT_EQ(offsets, (std::vector<Offset>{Offset(10), Offset(12)}));
}

TEST_F(BatchFilterTest, EachCodecStays) {
    newest("b", 30);
    for (const auto codec :
         {record::Codec::gzip, record::Codec::snappy, record::Codec::lz4, record::Codec::zstd}) {
        const auto left = filter(three(codec));
        ASSERT_TRUE(left);
        EXPECT_EQ(record::BatchView(left->bytes).codec(), codec);
        EXPECT_EQ(records(*left).size(), 2U);
    }
}

TEST_F(BatchFilterTest, WhatNeedsNoChangeIsLeftAlone) {
    newest("other", 40);
    EXPECT_EQ(filter(three())->outcome, Outcome::as_it_was);
}

TEST_F(BatchFilterTest, WhatHasNothingLeftGoes) {
    for (const char* key : {"a", "b", "c"}) newest(key, 40);
    EXPECT_EQ(filter(three())->outcome, Outcome::gone);
}

TEST_F(BatchFilterTest, BehindTheMapAllStays) {
    newest("a", 9);
    EXPECT_EQ(filter(three())->outcome, Outcome::as_it_was);
}

TEST_F(BatchFilterTest, RecordsWithoutAKeyGo) {
    newest("other", 40);
    const auto left = filter(support::plain_batch(10, 3, 1));
    EXPECT_EQ(left->outcome, Outcome::gone);
    EXPECT_EQ(left->keyless, 3U);
}

TEST_F(BatchFilterTest, ATombstoneStaysUntilItsHorizon) {
    newest("a", 10);
    newest("b", 11);
    const auto batch = support::make_batch(
        {.base_offset = 10,
         .records = {{.timestamp = 5, .key = "a"}, {.timestamp = 9, .key = "b", .value = "2"}}});
    const auto first = filter(batch);
    ASSERT_EQ(first->outcome, Outcome::rewritten);
    const record::BatchView with_horizon(first->bytes);
    EXPECT_EQ(record::delete_horizon(with_horizon), Timestamp(kNow.value + kRetentionMs));
    EXPECT_EQ(with_horizon.max_timestamp(), Timestamp(9));
    EXPECT_EQ(records(*first)[0], (TestRecord{.timestamp = 5, .key = "a"})) << "its time stays";
    EXPECT_EQ(filter(first->bytes, Timestamp(kNow.value + kRetentionMs - 1))->outcome,
              Outcome::as_it_was);
    const auto last = filter(first->bytes, Timestamp(kNow.value + kRetentionMs));
    ASSERT_EQ(last->outcome, Outcome::rewritten);
    EXPECT_EQ(records(*last),
              (std::vector<TestRecord>{{.timestamp = 9, .key = "b", .value = "2"}}));
    EXPECT_EQ(record::delete_horizon(record::BatchView(last->bytes)),
              Timestamp(kNow.value + kRetentionMs));
    rules.tombstones_stay_from = Offset(11);
    EXPECT_EQ(filter(first->bytes, Timestamp(kNow.value + kRetentionMs))->outcome,
              Outcome::as_it_was)
        << "a replica does not have it yet";
}

TEST_F(BatchFilterTest, LogAppendTimeStays) {
    newest("a", 10);
    newest("b", 11);
    auto batch = support::make_batch(
        {.base_offset = 10,
         .records = {{.timestamp = 5, .key = "a"}, {.timestamp = 9, .key = "b", .value = "2"}}});
    record::stamp_log_append_time(batch, Timestamp(77));
    const auto left = filter(batch);
    ASSERT_EQ(left->outcome, Outcome::rewritten);
    EXPECT_EQ(record::BatchView(left->bytes).timestamp_type(), record::TimestampType::log_append);
    for (const TestRecord& record : records(*left)) EXPECT_EQ(record.timestamp, 77);
}

TEST_F(BatchFilterTest, TheLastBatchOfAProducerStaysEmpty) {
    newest("a", 40);
    producers = {{ProducerId(5), Offset(3), 0}, {ProducerId(7), Offset(10), 2}};
    BatchSpec spec{.base_offset = 10,
                   .leader_epoch = 3,
                   .codec = record::Codec::zstd,
                   .producer_id = 7,
                   .producer_epoch = 2,
                   .base_sequence = 33,
                   .records = {{.timestamp = 8, .key = "a", .value = "1"}}};
    const auto left = filter(support::make_batch(spec));
    ASSERT_EQ(left->outcome, Outcome::rewritten);
    const record::BatchView batch(left->bytes);
    EXPECT_EQ(batch.size(), record::kBatchHeaderBytes);
    EXPECT_TRUE(batch.check_crc());
    EXPECT_EQ(batch.record_count(), 0);
    EXPECT_EQ(batch.codec(), record::Codec::none);
    EXPECT_EQ(batch.base_sequence(), 33);
    EXPECT_EQ(batch.producer_epoch(), 2);
    EXPECT_EQ(batch.last_offset(), Offset(10));
    EXPECT_EQ(batch.leader_epoch(), LeaderEpoch(3));
    EXPECT_EQ(batch.max_timestamp(), Timestamp(8));
    EXPECT_EQ(filter(left->bytes)->outcome, Outcome::as_it_was);
    producers = {{ProducerId(7), Offset(11), 2}};
    EXPECT_EQ(filter(left->bytes)->outcome, Outcome::gone);
}

TEST_F(BatchFilterTest, ABatchStaysWhoseSuccessorMayBeCutOff) {
    newest("a", 40);
    producers = {{ProducerId(7), Offset(2000), 0}};  // behind the end of the cleaning
    const auto batch = support::make_batch({.base_offset = 10,
                                            .producer_id = 7,
                                            .producer_epoch = 0,
                                            .base_sequence = 1,
                                            .records = {{.key = "a", .value = "1"}}});
    EXPECT_EQ(filter(batch)->outcome, Outcome::rewritten) << "no later one is known";
    last_in_map[ProducerId(7)] = Offset(10);
    EXPECT_EQ(filter(batch)->outcome, Outcome::rewritten);
    last_in_map[ProducerId(7)] = Offset(11);
    EXPECT_EQ(filter(batch)->outcome, Outcome::gone);
}

TEST_F(BatchFilterTest, TheBatchAtTheEndStaysEmpty) {
    newest("a", 40);
    rules.end = Offset(11);
    const auto left =
        filter(support::make_batch({.base_offset = 10, .records = {{.key = "a", .value = "1"}}}));
    ASSERT_EQ(left->outcome, Outcome::rewritten);
    EXPECT_EQ(record::BatchView(left->bytes).record_count(), 0);
}

TEST_F(BatchFilterTest, WhatWasAbortedGoes) {
    newest("other", 40);
    aborted = {{ProducerId(7), Offset(10), Offset(20), Offset(21)}};
    EXPECT_EQ(filter(support::sent_batch(10, {.is_transactional = true}))->outcome, Outcome::gone);
}

TEST_F(BatchFilterTest, MarkersWithNothingBeforeThemGoAfterTheirHorizon) {
    newest("other", 40);
    for (const bool is_abort : {false, true}) {
        const auto first = filter(support::marker_batch(20, {.is_abort = is_abort}));
        ASSERT_EQ(first->outcome, Outcome::rewritten);
        EXPECT_EQ(record::delete_horizon(record::BatchView(first->bytes)),
                  Timestamp(kNow.value + kRetentionMs));
        EXPECT_EQ(filter(first->bytes)->outcome, Outcome::as_it_was);
        EXPECT_EQ(filter(first->bytes, Timestamp(kNow.value + kRetentionMs))->outcome,
                  Outcome::gone);
    }
}

TEST_F(BatchFilterTest, ABatchThatExpandsTooFarIsAnError) {
    newest("other", 40);
    rules.plain_bytes_max = 100;
    const auto batch =
        support::make_batch({.base_offset = 10,
                             .codec = record::Codec::zstd,
                             .records = {{.key = "a", .value = std::string(5000, 'x')}}});
    EXPECT_FALSE(filter(batch));
}

}  // namespace
}  // namespace milena::storage

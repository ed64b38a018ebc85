// SPDX-License-Identifier: Apache-2.0
// Reads by offset and searches by timestamp.
#include "log_fixture.h"

namespace milena::storage {
namespace {

using support::make_batch;
using support::plain_batch;
using support::TestRecord;

class PartitionLogSearchTest : public LogTest {
public:
    /// Batches of two records from offset 0 on, ten to a segment or so.
    std::unique_ptr<Log> filled(int batches) {
        auto log = open();
        for (int batch = 0; batch < batches; ++batch) {
            EXPECT_TRUE(log->append(plain_batch(2 * batch, 2, 1000 + 10 * batch)));
        }
        return log;
    }
    const std::size_t batch_bytes = plain_batch(0, 2, 0).size();
};

TEST_F(PartitionLogSearchTest, AReadBeginsAtTheBatchThatHoldsTheOffset) {
    const auto log = filled(50);
    for (std::int64_t offset = 0; offset < 100; ++offset) {
        const auto bytes = bytes_of(*log->read(Offset(offset), Offset(100), 1 << 20, true));
        ASSERT_TRUE(bytes);
        EXPECT_EQ((*record::first_batch(*bytes))->base_offset(), Offset(offset / 2 * 2));
    }
}

TEST_F(PartitionLogSearchTest, AReadIsCutAtTheByteLimitAndKeepsTheFirstBatchWhole) {
    const auto log = filled(5);
    EXPECT_EQ(log->read(Offset(0), Offset(10), batch_bytes + 7, false)->length, batch_bytes + 7);
    EXPECT_EQ(log->read(Offset(0), Offset(10), 1, true)->length, batch_bytes);
    EXPECT_EQ(log->read(Offset(0), Offset(10), 1, false)->length, 0U);
    EXPECT_EQ(log->read(Offset(0), Offset(10), UINT64_MAX, false)->length, 5 * batch_bytes);
}

TEST_F(PartitionLogSearchTest, AReadStopsBeforeTheBatchThatReachesTheUpperBound) {
    const auto log = filled(50);
    for (std::int64_t upper = 0; upper <= 100; ++upper) {
        for (const std::int64_t from : {std::int64_t{0}, std::int64_t{36}, upper}) {
            const auto range = log->read(Offset(from), Offset(upper), 1 << 20, true);
            ASSERT_TRUE(range);
            const auto end =
                static_cast<std::uint64_t>(std::max<std::int64_t>(upper / 2 - from / 2, 0)) *
                batch_bytes;
            EXPECT_LE(range->length, end) << from << " below " << upper;
            EXPECT_EQ(range->length > 0, end > 0) << from << " below " << upper;
        }
    }
}

TEST_F(PartitionLogSearchTest, AReadAtTheEndIsEmptyAndBeyondItRefused) {
    const auto log = filled(3);
    EXPECT_EQ(log->read(Offset(6), Offset(6), 100, true)->file, nullptr);
    EXPECT_EQ(log->read(Offset(7), Offset(7), 100, true).error().code,
              ErrorCode::offset_out_of_range);
    EXPECT_EQ(log->read(Offset(-1), Offset(7), 100, true).error().code,
              ErrorCode::offset_out_of_range);
}

TEST_F(PartitionLogSearchTest, AReadInAGapGivesTheNextBatchOfALaterSegmentToo) {
    const auto log = open({.segment_bytes = 1});
    ASSERT_TRUE(log->append(plain_batch(0, 1, 1)));
    ASSERT_TRUE(log->append(plain_batch(100, 1, 1)));
    const auto bytes = bytes_of(*log->read(Offset(1), Offset(101), 1, true));
    ASSERT_TRUE(bytes);
    EXPECT_EQ(*bytes, plain_batch(100, 1, 1));
    EXPECT_EQ(log->read(Offset(1), Offset(100), 1, true)->length, 0U);
}

TEST_F(PartitionLogSearchTest, ARangeStaysReadableWhenItsSegmentIsDeleted) {
    const auto log = filled(50);
    const FileRange range = *log->read(Offset(0), Offset(100), 1 << 20, true);
    ASSERT_TRUE(log->raise_start(Offset(100)));
    for (const std::string& file : *log->remove_old_segments(Offset(100), 100))
        ASSERT_TRUE(node.files().remove(file));
    const auto bytes = bytes_of(range);
    ASSERT_TRUE(bytes);
    EXPECT_EQ((*record::first_batch(*bytes))->base_offset(), Offset(0));
}

TEST_F(PartitionLogSearchTest, ATimestampIsFoundInsideACompressedBatch) {
    const auto log = open();
    std::vector<TestRecord> records;
    for (const std::int64_t timestamp : {10, 20, 30, 40})
        records.push_back({.timestamp = timestamp});
    ASSERT_TRUE(log->append(
        make_batch({.leader_epoch = 5, .codec = record::Codec::gzip, .records = records})));
    const auto offset_for = [&](std::int64_t timestamp) {
        return *log->find_timestamp(Timestamp(timestamp), Offset(4));
    };
    EXPECT_EQ(offset_for(25), (TimestampOffset{Timestamp(30), Offset(2), LeaderEpoch(5)}));
    EXPECT_EQ(offset_for(30)->offset, Offset(2));
    EXPECT_EQ(offset_for(31)->offset, Offset(3));
    EXPECT_EQ(offset_for(41), std::nullopt);
    EXPECT_EQ(*log->find_timestamp(Timestamp(25), Offset(2)), std::nullopt)
        << "it is not below the upper bound";
}

TEST_F(PartitionLogSearchTest, TheGreatestTimestampIsThatOfTheFirstRecordThatHasIt) {
    const auto log = open();
    std::vector<TestRecord> records;
    for (const std::int64_t timestamp : {10, 40, 20, 40})
        records.push_back({.timestamp = timestamp});
    ASSERT_TRUE(log->append(make_batch({.codec = record::Codec::zstd, .records = records})));
    EXPECT_EQ(*log->find_max_timestamp(Offset(4)),
              (TimestampOffset{Timestamp(40), Offset(1), LeaderEpoch(0)}));
}

TEST_F(PartitionLogSearchTest, WithLogAppendTimeTheGreatestTimestampIsAtTheBatchsFirstOffset) {
    const auto log = open();
    auto batch = plain_batch(0, 5, 3);
    record::stamp_log_append_time(batch, Timestamp(900));
    ASSERT_TRUE(log->append(batch));
    EXPECT_EQ(log->find_max_timestamp(Offset(5)).value()->offset, Offset(0));
}

TEST_F(PartitionLogSearchTest, RecordsBelowTheStartAreNotFound) {
    const auto log = open();
    std::vector<TestRecord> records;
    for (const std::int64_t timestamp : {50, 40, 20, 30})
        records.push_back({.timestamp = timestamp});
    ASSERT_TRUE(log->append(make_batch({.records = records})));
    ASSERT_TRUE(log->raise_start(Offset(2)));
    EXPECT_EQ(log->find_timestamp(Timestamp(10), Offset(4)).value()->offset, Offset(2));
    EXPECT_EQ(log->find_max_timestamp(Offset(4)).value()->offset, Offset(3));
}

TEST_F(PartitionLogSearchTest, WithoutTimestampsTheFirstRecordHasTheGreatest) {
    const auto log = open();
    for (int batch = 0; batch < 50; ++batch)
        ASSERT_TRUE(log->append(make_batch(
            {.base_offset = 2 * batch, .records = {{.timestamp = -1}, {.timestamp = -1}}})));
    const TimestampOffset first{Timestamp(-1), Offset(0), LeaderEpoch(0)};
    EXPECT_EQ(*log->find_max_timestamp(log->log_end_offset()), first);
    EXPECT_EQ(*log->find_max_timestamp(Offset(7)), first);
    EXPECT_EQ(*log->find_max_timestamp(Offset(0)), std::nullopt);
    ASSERT_TRUE(log->raise_start(Offset(3)));
    EXPECT_EQ(log->find_max_timestamp(log->log_end_offset()).value()->offset, Offset(3));
}

TEST_F(PartitionLogSearchTest, AnEmptyLogHasNoTimestamps) {
    const auto log = open();
    EXPECT_EQ(*log->find_max_timestamp(Offset(0)), std::nullopt);
    EXPECT_EQ(*log->find_timestamp(Timestamp(0), Offset(0)), std::nullopt);
}

TEST_F(PartitionLogSearchTest, TimestampsThatFallAreFoundAcrossSegments) {
    // Descending times: the time index hardly grows, the answer is still exact.
    const auto log = open();
    for (int batch = 0; batch < 50; ++batch)
        ASSERT_TRUE(log->append(plain_batch(2 * batch, 2, 5000 - batch)));
    EXPECT_EQ(log->find_timestamp(Timestamp(4999), Offset(100)).value()->offset, Offset(0));
    EXPECT_EQ(log->find_max_timestamp(Offset(60)).value()->offset, Offset(0));
    ASSERT_TRUE(log->raise_start(Offset(20)));
    EXPECT_EQ(log->find_max_timestamp(Offset(60)).value()->timestamp, Timestamp(4990));
}

}  // namespace
}  // namespace milena::storage

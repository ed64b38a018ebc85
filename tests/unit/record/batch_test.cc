// SPDX-License-Identifier: Apache-2.0
// Finding batches at the front of bytes, header fields, stamping.
#include "milena/record/batch.h"

#include <gtest/gtest.h>

#include "support/batches.h"

namespace milena::record {
namespace {

std::vector<std::byte> sample() {
    return support::make_batch(
        {.base_offset = 7,
         .leader_epoch = 3,
         .attributes = 0x10,
         .producer_id = 4000,
         .producer_epoch = 2,
         .base_sequence = 11,
         .records = {{.timestamp = 100, .key = "k", .value = "v"}, {.timestamp = 90}}});
}

TEST(Batch, HeaderFieldsAreWhereTheFormatHasThem) {
    const auto bytes = sample();
    const auto batch = first_batch(bytes);
    ASSERT_TRUE(batch && *batch);
    EXPECT_EQ((*batch)->base_offset(), Offset(7));
    EXPECT_EQ((*batch)->last_offset(), Offset(8));
    EXPECT_EQ((*batch)->next_offset(), Offset(9));
    EXPECT_EQ((*batch)->leader_epoch(), LeaderEpoch(3));
    EXPECT_EQ((*batch)->base_timestamp(), Timestamp(100));
    EXPECT_EQ((*batch)->max_timestamp(), Timestamp(100));
    EXPECT_EQ((*batch)->producer_id(), ProducerId(4000));
    EXPECT_EQ((*batch)->producer_epoch(), 2);
    EXPECT_EQ((*batch)->base_sequence(), 11);
    EXPECT_EQ((*batch)->record_count(), 2);
    EXPECT_TRUE((*batch)->is_transactional());
    EXPECT_FALSE((*batch)->is_control());
    EXPECT_EQ((*batch)->codec(), Codec::none);
    EXPECT_TRUE((*batch)->check_crc());
}

TEST(Batch, EveryPrefixIsNotYetABatch) {
    const auto bytes = sample();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const auto batch = first_batch(BytesView(bytes).first(length));
        ASSERT_TRUE(batch) << length;
        EXPECT_FALSE(*batch) << length;
    }
}

TEST(Batch, OnlyTheFirstOfSeveralIsTaken) {
    auto bytes = sample();
    const std::size_t size = bytes.size();
    bytes.insert(bytes.end(), bytes.begin(), bytes.end());
    EXPECT_EQ((*first_batch(bytes))->size(), size);
}

TEST(Batch, ALengthBelowAHeadersIsCorrupt) {
    auto bytes = sample();
    for (const std::int32_t length : {INT32_MIN, -1, 0, 48}) {
        store(bytes.data() + 8, length);
        EXPECT_EQ(first_batch(bytes).error().code, ErrorCode::corrupt_message) << length;
        EXPECT_EQ(announced_size(BytesView(bytes).first(12)).error().code,
                  ErrorCode::corrupt_message)
            << length;
    }
}

TEST(Batch, AnotherMagicIsCorruptAsSoonAsItIsSeen) {
    auto bytes = sample();
    bytes[16] = std::byte{1};
    EXPECT_EQ(first_batch(BytesView(bytes).first(17)).error().code, ErrorCode::corrupt_message);
}

TEST(Batch, EveryFlippedBitBehindTheChecksumIsFound) {
    auto bytes = sample();
    for (std::size_t at = 17; at < bytes.size(); ++at) {
        bytes[at] ^= std::byte{4};
        EXPECT_FALSE(BatchView(bytes).check_crc()) << at;
        bytes[at] ^= std::byte{4};
    }
}

TEST(Batch, StampingOffsetAndEpochLeavesTheChecksumAlone) {
    auto bytes = sample();
    stamp(bytes, Offset(1'000'000'000'000), LeaderEpoch(77));
    const BatchView batch(bytes);
    EXPECT_EQ(batch.last_offset(), Offset(1'000'000'000'001));
    EXPECT_EQ(batch.leader_epoch(), LeaderEpoch(77));
    EXPECT_TRUE(batch.check_crc());
}

TEST(Batch, StampingLogAppendTimeGivesANewChecksum) {
    auto bytes = sample();
    stamp_log_append_time(bytes, Timestamp(5555));
    const BatchView batch(bytes);
    EXPECT_EQ(batch.timestamp_type(), TimestampType::log_append);
    EXPECT_EQ(batch.max_timestamp(), Timestamp(5555));
    EXPECT_TRUE(batch.is_transactional());
    EXPECT_TRUE(batch.check_crc());
    stamp_timestamps(bytes, TimestampType::create, Timestamp(100));
    EXPECT_EQ(bytes, sample());
}

}  // namespace
}  // namespace milena::record

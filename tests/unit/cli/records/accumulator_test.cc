// SPDX-License-Identifier: Apache-2.0
// What a producer holds back, and when it lets it go.
#include "records/accumulator.h"

#include <gtest/gtest.h>

#include "milena/record/records.h"

namespace milena::cli {
namespace {

using std::chrono::milliseconds;

constexpr env::Instant at(int ms) {
    return env::Instant(milliseconds(1000 + ms));
}

RecordParts of(std::string_view value) {
    return {std::nullopt, value, {}, 1000};
}

std::int32_t count(const ClosedBatch& batch) {
    return record::BatchView(batch.bytes).record_count();
}

class AccumulatorTest : public testing::Test {
protected:
    Accumulator accumulator{{.batch_bytes = 200, .linger = milliseconds(5), .buffer_bytes = 1000}};
    const std::string hundred = std::string(100, 'x');
};

TEST_F(AccumulatorTest, ABatchWaitsForItsLinger) {
    EXPECT_FALSE(accumulator.due(0));
    EXPECT_FALSE(accumulator.append(0, of("a"), at(0)));
    EXPECT_FALSE(accumulator.append(0, of("b"), at(3)));
    EXPECT_EQ(accumulator.due(0), at(5)) << "the first record's time counts";
    const auto batch = accumulator.take(0);
    EXPECT_EQ(count(batch), 2);
    ASSERT_EQ(batch.records.size(), 2U);
    EXPECT_EQ(batch.records[1].taken_at, at(3));
    EXPECT_EQ(batch.records[1].value_bytes, 1);
    EXPECT_EQ(batch.records[1].key_bytes, -1);
    EXPECT_FALSE(accumulator.due(0));
}

TEST_F(AccumulatorTest, AFullBatchIsDueAtOnceAndNeverGrowsBeyondItsSize) {
    EXPECT_FALSE(accumulator.append(0, of(hundred), at(0)));
    EXPECT_TRUE(accumulator.append(0, of(hundred), at(1))) << "it does not fit beside the first";
    EXPECT_EQ(accumulator.due(0), at(0));
    const auto batch = accumulator.take(0);
    EXPECT_EQ(count(batch), 1);
    EXPECT_LE(batch.bytes.size(), 200U);
    EXPECT_EQ(accumulator.due(0), at(6)) << "the second lingers from its own time on";
}

TEST_F(AccumulatorTest, PartitionsAreFilledByThemselves) {
    EXPECT_FALSE(accumulator.append(0, of(hundred), at(0)));
    EXPECT_FALSE(accumulator.append(1, of(hundred), at(0)));
    EXPECT_TRUE(accumulator.due(0) && accumulator.due(1));
}

TEST_F(AccumulatorTest, WhatComesBackGoesFirst) {
    accumulator.append(0, of("first"), at(0));
    auto first = accumulator.take(0);
    accumulator.append(0, of("second"), at(1));
    accumulator.close_all();
    first.not_before = at(50);
    accumulator.give_back(std::move(first));
    EXPECT_EQ(accumulator.due(0), at(50)) << "the second does not overtake";
    EXPECT_EQ(accumulator.take(0).records[0].value_bytes, 5);
    EXPECT_EQ(accumulator.take(0).records[0].value_bytes, 6);
}

TEST_F(AccumulatorTest, MemoryIsHeldUntilTheBatchIsDone) {
    EXPECT_TRUE(accumulator.has_room(of(std::string(5000, 'x')))) << "one record always fits";
    while (accumulator.has_room(of(hundred))) accumulator.append(0, of(hundred), at(0));
    const std::size_t full = accumulator.bytes();
    EXPECT_LE(full, 1000U);
    EXPECT_GT(full, 800U);
    const auto batch = accumulator.take(0);
    EXPECT_EQ(accumulator.bytes(), full) << "it is on its way";
    EXPECT_FALSE(accumulator.has_room(of(hundred)));
    accumulator.release(batch);
    EXPECT_TRUE(accumulator.has_room(of(hundred)));
    accumulator.close_all();
    while (accumulator.due(0)) accumulator.release(accumulator.take(0));
    EXPECT_TRUE(accumulator.empty());
}

TEST(Accumulator, CompressedRecordsAreChargedAsTheyCame) {
    Accumulator accumulator({.batch_bytes = 16'384, .codec = record::Codec::zstd});
    accumulator.append(0, of(std::string(10'000, 'a')), at(0));
    const auto batch = accumulator.take(0);
    EXPECT_LT(batch.bytes.size(), 1000U);
    EXPECT_GT(batch.charged_bytes, 10'000U);
    accumulator.release(batch);
    EXPECT_TRUE(accumulator.empty());
}

}  // namespace
}  // namespace milena::cli

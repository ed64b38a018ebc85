// SPDX-License-Identifier: Apache-2.0
// Buckets cover every value once and are narrow; quantiles come out of them.
#include "milena/telemetry/histogram.h"

#include <gtest/gtest.h>

namespace milena::telemetry {
namespace {

TEST(Histogram, BucketsFollowEachOtherWithoutGap) {
    for (std::size_t bucket = 0; bucket + 1 < kHistogramBuckets; ++bucket) {
        const std::uint64_t end = Histogram::end_of(bucket);
        EXPECT_EQ(Histogram::bucket_of(end), bucket);
        EXPECT_EQ(Histogram::bucket_of(end + 1), bucket + 1);
    }
}

TEST(Histogram, ABucketIsAtMostAnEighthWide) {
    for (std::size_t bucket = 8; bucket < kHistogramBuckets; ++bucket) {
        const std::uint64_t begin = Histogram::end_of(bucket - 1) + 1;
        EXPECT_LE(Histogram::end_of(bucket) - begin + 1, begin / 8 + 1);
    }
}

TEST(Histogram, ValuesBeyondTheLastBucketCountInIt) {
    EXPECT_EQ(Histogram::bucket_of(UINT64_MAX), kHistogramBuckets - 1);
    EXPECT_EQ(Histogram::end_of(kHistogramBuckets - 1), (1ULL << 40) - 1);
}

TEST(Histogram, QuantilesAreRightToTheWidthOfABucket) {
    // 1 to 1,000 once each: the share q of them is not above 1,000 q.
    Histogram histogram;
    for (std::uint64_t value = 1; value <= 1000; ++value) histogram.record(value);
    Distribution all;
    histogram.add_to(all);
    EXPECT_EQ(all.count(), 1000U);
    for (const double share : {0.001, 0.5, 0.95, 0.999, 1.0}) {
        const double exact = 1000 * share;
        EXPECT_GE(static_cast<double>(all.quantile(share)), exact);
        EXPECT_LE(static_cast<double>(all.quantile(share)), exact * 1.126);
    }
}

TEST(Histogram, SumsAreThoseOfAllParts) {
    Histogram one;
    Histogram other;
    one.record(5);
    other.record(5);
    other.record(7);
    Distribution all;
    EXPECT_EQ(all.quantile(0.5), 0U);
    one.add_to(all);
    other.add_to(all);
    EXPECT_EQ(all.count(), 3U);
    EXPECT_EQ(all.quantile(0.5), 5U);
    EXPECT_EQ(all.quantile(1), 7U);
}

}  // namespace
}  // namespace milena::telemetry

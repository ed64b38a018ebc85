// SPDX-License-Identifier: Apache-2.0
// Histories of high watermarks, in tenths of a second, and how long readers have had something to
// read.
#include "coordinators/lag/readable_history.h"

#include <gtest/gtest.h>

#include "sim/random.h"

namespace milena::drivers {
namespace {

ReadableHistory history(std::initializer_list<std::pair<std::int64_t, LagTick>> seen) {
    ReadableHistory history;
    for (const auto& [offset, at] : seen) history.see(Offset(offset), at);
    return history;
}

TEST(ReadableHistory, WhoHasReadEverythingIsNotLate) {
    const auto seen = history({{10, 0}, {20, 100}});
    EXPECT_EQ(seen.seconds_unread(Offset(20), 500), 0);
    EXPECT_EQ(seen.seconds_unread(Offset(25), 500), 0) << "what it has read is newer than the end";
    EXPECT_EQ(seen.high_watermark(), Offset(20));
}

TEST(ReadableHistory, WhatCameBetweenTwoSamplesCameEvenly) {
    const auto seen = history({{10, 0}, {20, 100}});
    // The first of ten records was there after a tenth of the time, the last at its end.
    EXPECT_DOUBLE_EQ(seen.seconds_unread(Offset(10), 200), 19);
    EXPECT_DOUBLE_EQ(seen.seconds_unread(Offset(14), 200), 15);
    EXPECT_DOUBLE_EQ(seen.seconds_unread(Offset(19), 200), 10);
}

TEST(ReadableHistory, APauseIsNotSpreadOver) {
    // Nothing came for ten minutes; then a record within half a second.
    const auto seen = history({{10, 0}, {10, 3000}, {10, 6000}, {11, 6005}});
    EXPECT_DOUBLE_EQ(seen.seconds_unread(Offset(10), 6105), 10);
    EXPECT_EQ(seen.samples(), 2U);
}

TEST(ReadableHistory, OfWhatWasThereBeforeTheFirstSampleALowerBoundIsTold) {
    const auto seen = history({{10, 50}, {20, 100}});
    EXPECT_DOUBLE_EQ(seen.seconds_unread(Offset(3), 150), 10);
    EXPECT_DOUBLE_EQ(seen.seconds_unread(Offset(3), 650), 60) << "and grows while nothing is read";
    EXPECT_DOUBLE_EQ(history({{10, 50}}).seconds_unread(Offset(3), 50), 0);
}

TEST(ReadableHistory, WhatWasCutOffTheLogIsForgotten) {
    auto seen = history({{10, 0}, {20, 100}, {30, 200}});
    seen.see(Offset(15), 300);
    EXPECT_EQ(seen.high_watermark(), Offset(15));
    EXPECT_DOUBLE_EQ(seen.seconds_unread(Offset(14), 300), 0);
    EXPECT_DOUBLE_EQ(seen.seconds_unread(Offset(9), 300), 30) << "what lay before is still known";
    seen.see(Offset(0), 400);
    EXPECT_EQ(seen.samples(), 1U);
}

TEST(ReadableHistory, TimeNeverGoesBack) {
    auto seen = history({{10, 100}});
    seen.see(Offset(20), 90);
    EXPECT_EQ(seen.last_seen(), 100U);
    EXPECT_EQ(seen.seconds_unread(Offset(10), 95), 0);
}

/// A steady stream for a day, looked at each five seconds: whatever is asked is right to a quarter,
/// and exact at both ends, with a dozen samples.
TEST(ReadableHistory, AnswersAreRightToAShareOfThemselvesHoweverLongAgo) {
    ReadableHistory seen;
    constexpr LagTick kDay = 24 * 3600 * 10;
    for (LagTick now = 0; now <= kDay; now += 50) seen.see(Offset(now), now);
    EXPECT_LE(seen.samples(), ReadableHistory::kSamplesMax);
    for (const LagTick ago : {10U, 100U, 600U, 36'000U, 300'000U, kDay}) {
        const double told = seen.seconds_unread(Offset(kDay - ago), kDay);
        EXPECT_NEAR(told, ago / 10.0, 0.1 + ago / 40.0) << ago;
    }
}

/// Streams that come in bursts: an answer never lies outside what the samples around it say.
TEST(ReadableHistory, AnswersAreNeverLongerThanTheWatchAndNeverGrowTowardsTheEnd) {
    sim::SeededRandom random(7);
    for (int run = 0; run < 50; ++run) {
        ReadableHistory seen;
        std::int64_t end = 0;
        LagTick now = 0;
        for (int i = 0; i < 500; ++i) {
            now += 1 + static_cast<LagTick>(random.next() % 100);
            if (random.next() % 3 == 0) end += static_cast<std::int64_t>(random.next() % 1000);
            seen.see(Offset(end), now);
        }
        double before = now / kLagTicksPerSecond;
        for (std::int64_t next = 0; next <= end; next += 1 + end / 100) {
            const double told = seen.seconds_unread(Offset(next), now);
            EXPECT_LE(told, before);
            EXPECT_GE(told, 0);
            before = told;
        }
    }
}

}  // namespace
}  // namespace milena::drivers

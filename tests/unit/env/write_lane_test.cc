// SPDX-License-Identifier: Apache-2.0
// When writes are made in place, and when in the pool.
#include "milena/env/write_lane.h"

#include <gtest/gtest.h>

namespace milena::env {
namespace {

using namespace std::chrono_literals;

TEST(WriteLane, OneSlowWriteEndsTheCalmAndManyQuickOnesBringItBack) {
    WriteLane lane;
    lane.wrote_in_place(1000, 5ms);
    EXPECT_TRUE(lane.is_calm());
    lane.wrote_in_place(1000, 5ms + 1ns);
    EXPECT_FALSE(lane.is_calm());
    EXPECT_FALSE(lane.takes_in_place(1));
    for (int i = 0; i < WriteLane::kQuickForCalm - 1; ++i) lane.wrote_in_pool(1000, 1ms);
    EXPECT_FALSE(lane.is_calm());
    lane.wrote_in_pool(1000, 6ms);  // counts from the beginning again
    for (int i = 0; i < WriteLane::kQuickForCalm - 1; ++i) lane.wrote_in_pool(1000, 1ms);
    EXPECT_FALSE(lane.is_calm());
    lane.wrote_in_pool(1000, 1ms);
    EXPECT_TRUE(lane.is_calm());
    EXPECT_EQ(lane.disturbances(), 1U);
}

TEST(WriteLane, ALargeWriteIsNeverMadeInPlaceAndMayTakeLonger) {
    WriteLane lane;
    EXPECT_TRUE(lane.takes_in_place(WriteLane::kInPlaceBytesMax));
    EXPECT_FALSE(lane.takes_in_place(WriteLane::kInPlaceBytesMax + 1));
    lane.wrote_in_pool(10 * WriteLane::kInPlaceBytesMax, 50ms);
    EXPECT_TRUE(lane.is_calm());
    lane.wrote_in_pool(10 * WriteLane::kInPlaceBytesMax, 60ms);
    EXPECT_FALSE(lane.is_calm());
}

TEST(WriteLane, ManySlowWritesAreOneDisturbance) {
    WriteLane lane;
    for (int i = 0; i < 5; ++i) lane.wrote_in_pool(1, 1s);
    EXPECT_EQ(lane.disturbances(), 1U);
    EXPECT_FALSE(lane.is_calm());
}

}  // namespace
}  // namespace milena::env

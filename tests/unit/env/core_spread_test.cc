// SPDX-License-Identifier: Apache-2.0
// The cores that work, after turns in which they were busy for so many percent.
#include "core_spread.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace milena::env {
namespace {

using std::chrono::milliseconds;

constexpr Duration kTurn = milliseconds(100);

/// So many percent of a turn.
std::vector<Duration> busy(std::initializer_list<int> percents) {
    std::vector<Duration> out;
    for (const int percent : percents) out.push_back(kTurn * percent / 100);
    return out;
}

TEST(CoreSpread, BeginsWithOneCore) {
    EXPECT_EQ(CoreSpread(8).working(), 1U);
}

TEST(CoreSpread, OneBusyCoreDoublesThoseThatWork) {
    CoreSpread spread(8);
    spread.note(busy({61, 0, 0, 0, 0, 0, 0, 0}), kTurn);
    EXPECT_EQ(spread.working(), 2U);
    spread.note(busy({10, 90, 0, 0, 0, 0, 0, 0}), kTurn);
    EXPECT_EQ(spread.working(), 4U);
}

TEST(CoreSpread, ThereAreNoMoreThanThereAre) {
    CoreSpread spread(3);
    for (int i = 0; i < 5; ++i) spread.note(busy({99, 99, 99}), kTurn);
    EXPECT_EQ(spread.working(), 3U);
}

TEST(CoreSpread, WhatOneCoreCanDoStaysThere) {
    CoreSpread spread(2);
    for (int i = 0; i < 1000; ++i) spread.note(busy({59, 0}), kTurn);
    EXPECT_EQ(spread.working(), 1U);
}

TEST(CoreSpread, FewerWorkAfterTenQuietSeconds) {
    CoreSpread spread(2);
    spread.note(busy({80, 0}), kTurn);
    for (int i = 0; i < 99; ++i) spread.note(busy({14, 14}), kTurn);
    EXPECT_EQ(spread.working(), 2U);
    spread.note(busy({14, 14}), kTurn);
    EXPECT_EQ(spread.working(), 1U);
}

TEST(CoreSpread, SomeWorkEndsTheQuiet) {
    CoreSpread spread(2);
    spread.note(busy({80, 0}), kTurn);
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 90; ++i) spread.note(busy({5, 5}), kTurn);
        spread.note(busy({20, 20}), kTurn);
    }
    EXPECT_EQ(spread.working(), 2U);
}

// What fewer cores take over must not make one of them busy at once: they would change for ever.
TEST(CoreSpread, ComesToRestUnderAnyLoad) {
    for (int load = 0; load <= 200; ++load) {
        CoreSpread spread(2);
        int changes = 0;
        for (int i = 0; i < 1000; ++i) {
            const std::size_t before = spread.working();
            before == 1
                ? spread.note(busy({std::min(load, 100), 0}), kTurn)
                : spread.note(busy({std::min(load * 3 / 4, 100), std::min(load * 3 / 4, 100)}),
                              kTurn);
            changes += spread.working() != before ? 1 : 0;
        }
        EXPECT_LE(changes, 1) << load;
    }
}

}  // namespace
}  // namespace milena::env

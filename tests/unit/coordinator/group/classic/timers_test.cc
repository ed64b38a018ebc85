// SPDX-License-Identifier: Apache-2.0
// Timers in their order.
#include "group/classic/timers.h"

#include <gtest/gtest.h>

namespace milena::coordinator {
namespace {

env::Instant at(int ms) {
    return env::Instant{} + std::chrono::milliseconds(ms);
}

TEST(Timer, TheFirstIsInFront) {
    DueByTime order;
    Timer late;
    Timer early;
    late.set(order, at(20), {.group = "late"});
    early.set(order, at(10), {.group = "early"});
    EXPECT_EQ(order.begin()->second.group, "early");
    early.move(at(30));
    EXPECT_EQ(order.begin()->second.group, "late");
}

TEST(Timer, GoesWithItsOwner) {
    DueByTime order;
    {
        Timer timer;
        timer.set(order, at(10), {.group = "g"});
        EXPECT_TRUE(timer.is_set());
    }
    EXPECT_TRUE(order.empty());
}

TEST(Timer, MovesToAnotherOwner) {
    DueByTime order;
    Timer second;
    {
        Timer first;
        first.set(order, at(10), {.group = "g"});
        second = std::move(first);
    }
    EXPECT_EQ(order.size(), 1U);
    Timer third(std::move(second));
    third.cancel();
    third.cancel();
    EXPECT_TRUE(order.empty());
}

TEST(Timer, IsSetOnce) {
    DueByTime order;
    Timer timer;
    timer.set(order, at(10), {.group = "g"});
    timer.set(order, at(20), {.group = "h"});
    ASSERT_EQ(order.size(), 1U);
    EXPECT_EQ(order.begin()->second.group, "h");
}

}  // namespace
}  // namespace milena::coordinator

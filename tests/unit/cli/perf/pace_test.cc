// SPDX-License-Identifier: Apache-2.0
// When the next record may go.
#include "perf/pace.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using std::chrono::milliseconds;

TEST(Pace, WaitsForAsLongAsItIsAhead) {
    const Pace pace(100);
    EXPECT_EQ(pace.pause(50, milliseconds(400)), milliseconds(100));
    EXPECT_EQ(pace.pause(50, milliseconds(500)), milliseconds(0));
    EXPECT_EQ(pace.pause(50, milliseconds(900)), milliseconds(0)) << "it has to catch up";
}

TEST(Pace, DoesNotWaitForLessThanATimerIsWorth) {
    EXPECT_EQ(Pace(1000).pause(1, milliseconds(0)), milliseconds(0));
    EXPECT_EQ(Pace(1000).pause(3, milliseconds(0)), milliseconds(3));
}

TEST(Pace, WithoutARateThereIsNone) {
    EXPECT_EQ(Pace(-1).pause(1'000'000, milliseconds(0)), milliseconds(0));
}

}  // namespace
}  // namespace milena::cli

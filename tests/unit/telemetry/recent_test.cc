// SPDX-License-Identifier: Apache-2.0
// Values at chosen times: what is counted, and since when it is forgotten.
#include "milena/telemetry/recent.h"

#include <gtest/gtest.h>

namespace milena::telemetry {
namespace {

env::Instant at(int seconds) {
    return env::Instant(std::chrono::seconds(1000 + seconds));
}

TEST(RecentValues, NothingIsNotZero) {
    const RecentValues values;
    EXPECT_FALSE(values.average(at(0)));
    EXPECT_FALSE(values.greatest(at(0)));
    EXPECT_EQ(values.per_second(at(0)), 0);
}

TEST(RecentValues, BothWindowsCount) {
    RecentValues values;
    values.add(10, at(0));
    values.add(2, at(20));
    values.add(3, at(40));
    EXPECT_EQ(values.average(at(41)), 5);
    EXPECT_EQ(values.greatest(at(41)), 10);
}

TEST(RecentValues, AWindowIsForgottenAMinuteAfterItBegan) {
    RecentValues values;
    values.add(10, at(0));
    values.add(3, at(40));
    EXPECT_EQ(values.greatest(at(59)), 10);
    EXPECT_EQ(values.greatest(at(60)), 3);
    EXPECT_FALSE(values.average(at(100)));
}

TEST(RecentValues, AThirdWindowTakesThePlaceOfTheFirst) {
    RecentValues values;
    for (int i = 0; i < 3; ++i) values.add(i, at(30 * i));
    EXPECT_EQ(values.average(at(60)), 1.5);
}

TEST(RecentValues, NegativeValuesHaveAGreatestToo) {
    RecentValues values;
    values.add(-5, at(0));
    values.add(-7, at(1));
    EXPECT_EQ(values.greatest(at(1)), -5);
}

TEST(RecentValues, TheRateIsOverTheTimeThatIsCounted) {
    RecentValues values;
    values.add(60, at(0));
    EXPECT_EQ(values.per_second(at(1)), 2) << "a burst is not multiplied up";
    values.add(30, at(45));
    EXPECT_EQ(values.per_second(at(45)), 2);
}

}  // namespace
}  // namespace milena::telemetry

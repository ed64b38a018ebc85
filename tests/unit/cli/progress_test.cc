// SPDX-License-Identifier: Apache-2.0
// What is said of long work, and when. Terminals are looked at in tests/cluster/test_tools.py.
#include "progress.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using std::chrono::milliseconds;

TEST(ProgressLine, ShortWorkSaysNothing) {
    ProgressLine line("Reading", 200, "bytes");
    EXPECT_EQ(line.at(0, milliseconds(1000)), std::nullopt);
    EXPECT_EQ(line.at(50, milliseconds(1499)), std::nullopt);
    EXPECT_EQ(line.at(99, milliseconds(1500)), "Reading: 49 % (99 of 200 bytes)");
}

TEST(ProgressLine, FiveTimesASecondIsEnough) {
    ProgressLine line("Reading", 200, "bytes");
    line.at(0, milliseconds(0));
    EXPECT_TRUE(line.at(1, milliseconds(500)));
    EXPECT_FALSE(line.at(2, milliseconds(699)));
    EXPECT_TRUE(line.at(3, milliseconds(700)));
}

TEST(ProgressLine, NeverMoreThanAll) {
    ProgressLine line("Reading", 200, "bytes");
    line.at(0, milliseconds(0));
    EXPECT_EQ(line.at(300, milliseconds(500)), "Reading: 100 % (200 of 200 bytes)");
}

TEST(ProgressLine, WithoutATotalThereIsNoPercentage) {
    ProgressLine line("Reading", 0, "records");
    line.at(0, milliseconds(0));
    EXPECT_EQ(line.at(7, milliseconds(500)), "Reading: 7 records");
}

TEST(Progress, OnNoTerminalItIsSilent) {
    testing::internal::CaptureStderr();
    {
        Progress progress("Reading", 200, "bytes", Progress::Output::clears);
        for (std::uint64_t i = 0; i < 100; ++i) progress.at(i);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace milena::cli

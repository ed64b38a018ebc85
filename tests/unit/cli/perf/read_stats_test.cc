// SPDX-License-Identifier: Apache-2.0
// The lines of kafka-consumer-perf-test.
#include "perf/read_stats.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

constexpr std::size_t kMegabyte = 1024 * 1024;

class ReadStatsTest : public testing::Test {
protected:
    DateFormat dates = *DateFormat::parse("ss:SSS");
    ReadStats stats{1000};
};

TEST_F(ReadStatsTest, TheSummaryLeavesTheAssignmentOutOfFetching) {
    stats.assigned(1500);
    for (int i = 0; i < 4; ++i) stats.record(kMegabyte);
    EXPECT_EQ(stats.total(3000, dates),
              "01:000, 03:000, 4.0000, 2.0000, 4, 2.0000, 500, 1500, 2.6667, 2.6667\n");
}

TEST_F(ReadStatsTest, AnIntervalCountsFromTheLastOne) {
    stats.assigned(1500);
    stats.record(kMegabyte);
    EXPECT_EQ(stats.take_interval(2000, dates),
              "02:000, 0, 1.0000, 1.0000, 1, 1.0000, 500, 500, 2.0000, 2.0000\n");
    for (int i = 0; i < 3; ++i) stats.record(kMegabyte);
    EXPECT_EQ(stats.take_interval(3000, dates),
              "03:000, 0, 4.0000, 3.0000, 4, 3.0000, 0, 1000, 3.0000, 3.0000\n");
}

TEST_F(ReadStatsTest, NoTimeIsNoDivisionByNothing) {
    EXPECT_EQ(stats.total(1000, dates),
              "01:000, 01:000, 0.0000, 0.0000, 0, 0.0000, 0, 0, 0.0000, "
              "0.0000\n");
}

TEST(ReadStats, HeadersDiffer) {
    EXPECT_TRUE(ReadStats::header(true).starts_with("time, threadId, "));
    EXPECT_TRUE(ReadStats::header(false).starts_with("start.time, end.time, "));
}

}  // namespace
}  // namespace milena::cli

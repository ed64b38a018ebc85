// SPDX-License-Identifier: Apache-2.0
// The lines of kafka-producer-perf-test.
#include "perf/send_stats.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(SendStats, TheSummaryIsKafkas) {
    SendStats stats(4, 1000);
    for (const int latency : {10, 20, 30, 41}) stats.record(latency, 1024 * 1024);
    EXPECT_EQ(stats.total(3000, ""),
              "4 records sent, 2.000000 records/sec (2.00 MB/sec), 25.25 ms avg latency, 41.00 ms "
              "max latency, 30 ms 50th, 41 ms 95th, 41 ms 99th, 41 ms 99.9th.\n");
    EXPECT_TRUE(stats.total(3000, " steady state").starts_with("4 steady state records sent, "));
}

TEST(SendStats, AWindowCountsFromTheLastOne) {
    SendStats stats(10, 0);
    stats.record(5, 100);
    EXPECT_EQ(stats.take_window(2000),
              "1 records sent, 0.5 records/sec (0.00 MB/sec), 5.0 ms avg latency, 5.0 ms max "
              "latency.\n");
    EXPECT_EQ(stats.window_start_ms(), 2000);
    stats.record(7, 100);
    stats.record(8, 100);
    EXPECT_EQ(stats.take_window(4000),
              "2 records sent, 1.0 records/sec (0.00 MB/sec), 7.5 ms avg latency, 8.0 ms max "
              "latency.\n");
}

TEST(SendStats, NothingSentIsNoDivisionByNothing) {
    EXPECT_EQ(SendStats(2, 0).total(0, ""),
              "0 records sent, 0.000000 records/sec (0.00 MB/sec), NaN ms avg latency, 0.00 ms max "
              "latency, 0 ms 50th, 0 ms 95th, 0 ms 99th, 0 ms 99.9th.\n");
}

TEST(SendStats, PercentilesOfManyComeFromASample) {
    SendStats stats(2'000'000, 0);
    for (int i = 0; i < 2'000'000; ++i) stats.record(i / 20'000, 1);
    EXPECT_NE(stats.total(1000, "").find(" 50 ms 50th, 95 ms 95th, 99 ms 99th, 99 ms 99.9th."),
              std::string::npos);
}

}  // namespace
}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// A histogram that is made when it is needed, by one thread or several at once.
#include "milena/telemetry/lazy_histogram.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace milena::telemetry {
namespace {

std::uint64_t count_of(const LazyHistogram& histogram) {
    Distribution sum;
    histogram.add_to(sum);
    return sum.count();
}

TEST(LazyHistogram, HasNothingUntilSomethingIsRecorded) {
    LazyHistogram histogram;
    EXPECT_EQ(count_of(histogram), 0U);
    histogram.record(5);
    histogram.record(7);
    EXPECT_EQ(count_of(histogram), 2U);
}

TEST(LazyHistogram, CountsEveryValueOfThreadsThatBeginTogether) {
    for (int round = 0; round < 100; ++round) {
        LazyHistogram histogram;
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) threads.emplace_back([&] { histogram.record(1); });
        threads.clear();
        EXPECT_EQ(count_of(histogram), 4U);
    }
}

}  // namespace
}  // namespace milena::telemetry

// SPDX-License-Identifier: Apache-2.0
// Kafka's table of metrics.
#include "perf/metric_table.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(MetricTable, IsSortedAndLinedUp) {
    EXPECT_EQ(metric_table({{"g", "request-total", 7}, {"g", "batch-size-avg", 1.5}}, "c"),
              "\n"
              "Metric Name                      Value\n"
              "g:batch-size-avg:{client-id=c} : 1.500\n"
              "g:request-total:{client-id=c}  : 7.000\n");
}

}  // namespace
}  // namespace milena::cli

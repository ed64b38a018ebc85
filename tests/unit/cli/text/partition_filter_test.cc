// SPDX-License-Identifier: Apache-2.0
// Which partitions kafka-get-offsets is for.
#include "text/partition_filter.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(PartitionFilter, ARangeEndsBeforeItsEnd) {
    const auto filter = PartitionFilter::of_rules("orders:0,orders:2-4,:9");
    ASSERT_TRUE(filter);
    EXPECT_TRUE(filter->allows("orders", 0));
    EXPECT_FALSE(filter->allows("orders", 1));
    EXPECT_TRUE(filter->allows("orders", 3));
    EXPECT_FALSE(filter->allows("orders", 4));
    EXPECT_TRUE(filter->allows("any", 9));
}

TEST(PartitionFilter, ARangeMayLackAnEnd) {
    const auto filter = PartitionFilter::of_rules("t:-2,t:7-");
    ASSERT_TRUE(filter);
    EXPECT_TRUE(filter->allows("t", 1));
    EXPECT_FALSE(filter->allows("t", 5));
    EXPECT_TRUE(filter->allows("t", 700));
}

TEST(PartitionFilter, ATopicAloneIsAllItsPartitions) {
    const auto filter = PartitionFilter::of_topic("t", "");
    ASSERT_TRUE(filter);
    EXPECT_TRUE(filter->allows("t", 1000));
    EXPECT_FALSE(filter->allows_topic("u"));
}

TEST(PartitionFilter, NamesWhatIsNoPartition) {
    EXPECT_EQ(PartitionFilter::of_rules("t:x").error().why, "Invalid rule specification: t:x");
    EXPECT_EQ(PartitionFilter::of_topic("t", "1,x").error().why,
              "--partitions expects a comma separated list of numeric partition ids, but received: "
              "1,x");
}

}  // namespace
}  // namespace milena::cli

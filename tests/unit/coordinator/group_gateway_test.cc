// SPDX-License-Identifier: Apache-2.0
// Against numbers that Kafka gives.
#include "milena/coordinator/group_gateway.h"

#include <gtest/gtest.h>

namespace milena::coordinator {
namespace {

TEST(CoordinatorPartition, IsTheHashWithoutItsSign) {
    EXPECT_EQ(coordinator_partition("", 50), PartitionIndex(0));
    EXPECT_EQ(coordinator_partition("g", 50), PartitionIndex(3));
    EXPECT_EQ(coordinator_partition("hello", 50), PartitionIndex(22));
    // INT_MIN loses its sign, it is not negated.
    EXPECT_EQ(coordinator_partition("polygenelubricants", 50), PartitionIndex(0));
    EXPECT_EQ(coordinator_partition("hello", 1), PartitionIndex(0));
}

}  // namespace
}  // namespace milena::coordinator

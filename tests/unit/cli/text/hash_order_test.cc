// SPDX-License-Identifier: Apache-2.0
// The order of a Java HashMap, as Kafka's tools showed it.
#include "text/hash_order.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

std::vector<std::string_view> ordered(const std::vector<std::string_view>& keys) {
    std::vector<std::string_view> result;
    for (const std::size_t at : hash_order(keys)) result.push_back(keys[at]);
    return result;
}

TEST(HashOrder, HashesAsJavaDoes) {
    EXPECT_EQ(java_hash(""), 0);
    EXPECT_EQ(java_hash("polygenelubricants"), std::numeric_limits<std::int32_t>::min());
}

TEST(HashOrder, HashesAPartitionAsJavaDoes) {
    // 31 * (31 + 1) + "a".hashCode()
    EXPECT_EQ(java_hash("a", 1), 31 * 32 + 97);
    EXPECT_EQ(java_hash("", -31), 0);
}

TEST(HashOrder, IsThatOfKafkaTopics) {
    // As `kafka-topics --describe` of Kafka 4.4 listed them.
    const std::vector<std::string_view> names{"a.b_c", "alpha",  "events", "long-name-topic",
                                              "mm9",   "orders", "xyz",    "zeta"};
    EXPECT_EQ(ordered(names),
              (std::vector<std::string_view>{"zeta", "a.b_c", "long-name-topic", "alpha", "mm9",
                                             "xyz", "orders", "events"}));
}

TEST(HashOrder, AMapDoublesWhenItIsThreeQuartersFull) {
    // Seven hashes in a map made for seven: it has 16 buckets and not 8, so 8 comes after 1.
    EXPECT_EQ(hash_order({8, 1, 2, 3, 4, 5, 6}, 7),
              (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 0}));
    // Six fit into eight buckets, where 8 is the first.
    EXPECT_EQ(hash_order({8, 1, 2, 3, 4, 5}, 6), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
}

TEST(HashOrder, KeysOfOneBucketKeepTheirOrder) {
    EXPECT_EQ(hash_order({16, 32, 0}, 3), (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(default_hash_order({}), std::vector<std::size_t>());
}

}  // namespace
}  // namespace milena::cli

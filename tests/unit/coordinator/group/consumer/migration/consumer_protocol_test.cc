// SPDX-License-Identifier: Apache-2.0
// What consumers of the classic protocol tell one another, whole and cut.
#include "group/consumer/migration/consumer_protocol.h"

#include <gtest/gtest.h>

namespace milena::coordinator::test {
namespace {

/// "aabb" to bytes.
Bytes hex(std::string_view text) {
    Bytes out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        out.push_back(
            static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
    return out;
}

/// Version 3 as Java's consumer of Kafka 4.4 writes it: topic "t", owns t:0,1, rack "r".
constexpr std::string_view kSubscription =
    "0003"
    "00000001"
    "000174"
    "ffffffff"
    "00000001"
    "000174"
    "00000002"
    "00000000"
    "00000001"
    "00000007"
    "000172";
constexpr std::string_view kAssignment =
    "0000"
    "00000001"
    "000174"
    "00000002"
    "00000000"
    "00000002"
    "ffffffff";

TEST(ConsumerProtocol, ReadsASubscription) {
    const auto read = read_consumer_subscription(hex(kSubscription));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->version, 3);
    EXPECT_EQ(read->topics, std::vector<std::string>{"t"});
    ASSERT_EQ(read->owned.size(), 1U);
    EXPECT_EQ(read->owned[0].partitions,
              (std::vector<PartitionIndex>{PartitionIndex(0), PartitionIndex(1)}));
    EXPECT_EQ(read->rack, "r");
}

TEST(ConsumerProtocol, ReadsAnAssignment) {
    const auto read = read_consumer_assignment(hex(kAssignment));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->partitions[0].topic, "t");
    EXPECT_FALSE(read->has_user_data);
    EXPECT_TRUE(read_consumer_assignment({})->partitions.empty());
}

TEST(ConsumerProtocol, WhatIsCutIsNotRead) {
    const Bytes subscription = hex(kSubscription);
    for (std::size_t size = 1; size < subscription.size(); ++size) {
        EXPECT_FALSE(read_consumer_subscription(BytesView(subscription).first(size)).has_value());
    }
    const Bytes assignment = hex(kAssignment);
    for (std::size_t size = 1; size < assignment.size(); ++size)
        EXPECT_FALSE(read_consumer_assignment(BytesView(assignment).first(size)).has_value());
}

TEST(ConsumerProtocol, ACountBeyondTheBytesIsRefused) {
    EXPECT_FALSE(read_consumer_subscription(hex("00037fffffff")).has_value());
    EXPECT_FALSE(read_consumer_assignment(hex("0000000000010001747fffffff")).has_value());
}

}  // namespace
}  // namespace milena::coordinator::test

// SPDX-License-Identifier: Apache-2.0
// Subscriptions as consumers send them, and everything that is none.
#include "group/classic/subscription.h"

#include <gtest/gtest.h>

#include "unit/coordinator/group/messages.h"

namespace milena::coordinator::test {
namespace {

TEST(Subscription, HasTopicsInEveryVersion) {
    Bytes metadata = subscription({"b", "a", "a"});
    for (const int version : {0, 1, 3, 99}) {
        metadata[1] = static_cast<std::byte>(version);
        std::set<std::string> topics;
        EXPECT_TRUE(read_subscription(metadata, topics));
        EXPECT_EQ(topics, (std::set<std::string>{"a", "b"}));
    }
}

TEST(Subscription, EveryCutOneIsRefused) {
    const Bytes metadata = subscription({"topic", "t"});
    // Behind the topics is what is not read.
    const std::size_t end = metadata.size() - 4;
    std::set<std::string> topics;
    for (std::size_t length = 0; length < end; ++length)
        EXPECT_FALSE(read_subscription(BytesView(metadata).first(length), topics)) << length;
}

TEST(Subscription, NegativeLengthsAreRefused) {
    std::set<std::string> topics;
    EXPECT_FALSE(read_subscription(bytes("\xff\xff\0\0\0\0"), topics));
    Bytes negative(8, std::byte{0xFF});
    negative[0] = negative[1] = std::byte{0};
    EXPECT_FALSE(read_subscription(negative, topics));
}

}  // namespace
}  // namespace milena::coordinator::test

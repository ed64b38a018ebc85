// SPDX-License-Identifier: Apache-2.0
// Patterns of topics.
#include "text/topic_filter.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(TopicFilter, MatchesTheWholeName) {
    const auto filter = TopicFilter::parse("ord.*");
    ASSERT_TRUE(filter);
    EXPECT_TRUE(filter->allows("orders"));
    EXPECT_FALSE(filter->allows("my-orders"));
}

TEST(TopicFilter, ACommaMeansOr) {
    const auto filter = TopicFilter::parse("\"a, b\"");
    ASSERT_TRUE(filter);
    EXPECT_TRUE(filter->allows("a"));
    EXPECT_TRUE(filter->allows("b"));
    EXPECT_FALSE(filter->allows("ab"));
}

TEST(TopicFilter, NamesWhatIsNoPattern) {
    EXPECT_EQ(TopicFilter::parse("[").error().why, "[ is an invalid regex.");
}

TEST(TopicFilter, KnowsInternalTopics) {
    EXPECT_TRUE(is_internal_topic("__consumer_offsets"));
    EXPECT_FALSE(is_internal_topic("__mine"));
}

}  // namespace
}  // namespace milena::cli

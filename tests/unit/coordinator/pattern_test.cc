// SPDX-License-Identifier: Apache-2.0
// A pattern matches whole names, and says what is wrong with it.
#include "pattern.h"

#include <gtest/gtest.h>

namespace milena::coordinator::test {
namespace {

TEST(Pattern, MatchesWholeNames) {
    const auto pattern = Pattern::make("t[0-9]+");
    ASSERT_TRUE(pattern.has_value());
    EXPECT_TRUE(pattern->matches("t12"));
    EXPECT_FALSE(pattern->matches("t12x"));
    EXPECT_FALSE(pattern->matches("at12"));
    EXPECT_FALSE(pattern->matches(""));
}

TEST(Pattern, SaysWhatIsWrong) {
    const auto pattern = Pattern::make("(");
    ASSERT_FALSE(pattern.has_value());
    EXPECT_EQ(pattern.error().code, ErrorCode::invalid_regular_expression);
    EXPECT_EQ(pattern.error().why, "missing closing )");
}

}  // namespace
}  // namespace milena::coordinator::test

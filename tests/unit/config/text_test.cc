// SPDX-License-Identifier: Apache-2.0
// Encodings and cutting, with the texts that tend to go wrong.
#include "text.h"

#include <gtest/gtest.h>

namespace milena::config {
namespace {

TEST(Text, TellsUtf8FromWhatOnlyLooksLikeIt) {
    EXPECT_TRUE(is_utf8("plain, \u00e9, \u20ac, \U0001F600"));
    EXPECT_FALSE(is_utf8("\xC0\xAF"));          // overlong
    EXPECT_FALSE(is_utf8("\xE0\x80\x80"));      // overlong
    EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // a surrogate
    EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // beyond the last plane
    EXPECT_FALSE(is_utf8("\xE2\x82"));          // cut short
    EXPECT_FALSE(is_utf8("\x80"));
}

TEST(Text, EncodesEveryLengthOfUtf8) {
    std::string out;
    for (const char32_t point : {U'a', U'\u00e9', U'\u20ac', U'\U0001F600'})
        append_utf8(out, point);
    EXPECT_EQ(out, "a\u00e9\u20ac\U0001F600");
    EXPECT_EQ(latin1_to_utf8("\xE9\x80"), "\u00e9\u0080");
}

TEST(Text, SplitsAndTrims) {
    using Parts = std::vector<std::string_view>;
    EXPECT_EQ(split(" a| b |c", '|'), (Parts{"a", "b", "c"}));
    EXPECT_EQ(split("a||", '|'), (Parts{"a", "", ""}));
    EXPECT_EQ(split(" \t", '|'), Parts{});
    EXPECT_EQ(trimmed(" \t x y \r\n"), "x y");
}

TEST(Text, MeasuresEdits) {
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("same", "same"), 0U);
}

}  // namespace
}  // namespace milena::config

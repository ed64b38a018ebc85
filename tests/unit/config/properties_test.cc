// SPDX-License-Identifier: Apache-2.0
// Each test gives a text as Java's own reader would accept it and compares the entries with what
// Java reads from it.
#include "milena/config/properties.h"

#include <gtest/gtest.h>

namespace milena::config {
namespace {

std::vector<Property> parse(std::string_view text) {
    auto properties = Properties::parse("f", text);
    EXPECT_TRUE(properties.has_value()) << properties.error().why;
    return properties ? properties->entries : std::vector<Property>{};
}

std::string value_of(std::string_view text) {
    const auto entries = parse(text);
    return entries.size() == 1 ? entries.front().value : "not one entry";
}

TEST(Properties, TakesEqualsColonAndSpaceBetweenKeyAndValue) {
    const std::vector<Property> expected{
        {"a", "1", 1}, {"b", "2", 2}, {"c", "3 3", 3}, {"d", "= 4", 4}, {"e", "", 5}};
    EXPECT_EQ(parse("a=1\nb:2\nc 3 3\nd \t = = 4\ne"), expected);
}

TEST(Properties, SkipsCommentsAndBlankLinesAndCountsThem) {
    const std::vector<Property> expected{{"k", "v", 4}};
    EXPECT_EQ(parse("# one\n  ! two\n\n  k=v\n"), expected);
}

TEST(Properties, JoinsContinuedLinesWithoutTheirIndent) {
    const std::vector<Property> expected{{"k", "a,b,# not a comment", 1}, {"next", "1", 4}};
    EXPECT_EQ(parse("k=a,\\\n   b,\\\n\t# not a comment\nnext=1"), expected);
}

TEST(Properties, EndsALineAtAnEvenNumberOfBackslashes) {
    const std::vector<Property> expected{{"k", "a\\", 1}, {"next", "1", 2}};
    EXPECT_EQ(parse("k=a\\\\\nnext=1"), expected);
}

TEST(Properties, ResolvesEscapesInKeyAndValue) {
    const std::vector<Property> expected{{"a=b c", "tab\tq\n", 1}};
    EXPECT_EQ(parse(R"(a\=b\ c=tab\t\q\n)"), expected);
}

TEST(Properties, ResolvesUnicodeEscapesAndPairsOfSurrogates) {
    EXPECT_EQ(value_of(R"(k=\u00e9)"), "\u00e9");
    EXPECT_EQ(value_of(R"(k=\ud83d\ude00)"), "\U0001F600");
}

TEST(Properties, RefusesABrokenEscapeAndNamesItsLine) {
    for (const auto* text :
         {"a=1\nk=\\u12g4", "a=1\nk=\\u12", "a=1\nk=\\ud83d!", "a=1\nk=\\ude00"}) {
        const auto properties = Properties::parse("server.properties", text);
        ASSERT_FALSE(properties.has_value()) << text;
        EXPECT_EQ(properties.error().why, "server.properties:2: broken \\u escape");
    }
}

TEST(Properties, TakesCarriageReturnsAsLineEnds) {
    const std::vector<Property> expected{{"a", "1", 1}, {"b", "2", 2}, {"c", "3", 3}};
    EXPECT_EQ(parse("a=1\r\nb=2\rc=3"), expected);
}

TEST(Properties, KeepsTrailingBlanksOfAValue) {
    EXPECT_EQ(value_of("k= v  "), "v  ");
}

TEST(Properties, ReadsUtf8AndFallsBackToLatin1) {
    EXPECT_EQ(value_of("k=caf\u00e9"), "caf\u00e9");
    EXPECT_EQ(value_of("k=caf\xE9"), "caf\u00e9");
    EXPECT_EQ(value_of("\xEF\xBB\xBFk=v"), "v");
}

TEST(Properties, SurvivesEveryPrefixOfATrickyText) {
    // Each prefix is either read or refused; the sanitizers watch the reads past an end.
    constexpr std::string_view kText = "a\\\n =\\u00e9\\\\\\\r\n\\ud83d\\ude00:=!\\";
    for (std::size_t length = 0; length <= kText.size(); ++length) {
        const auto properties = Properties::parse("f", kText.substr(0, length));
        if (!properties) {
            EXPECT_NE(properties.error().why.find("escape"), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace milena::config

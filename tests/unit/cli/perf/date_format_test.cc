// SPDX-License-Identifier: Apache-2.0
// Patterns of SimpleDateFormat. Local time is what the machine says, so hours are not looked at.
#include "perf/date_format.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

/// 2026-11-29 12:04:05.678 UTC; whole hours away everywhere but in a few places.
constexpr std::int64_t kTime = 1'795'953'845'678;

std::string text(std::string_view pattern) {
    const auto format = DateFormat::parse(pattern);
    return format ? format->text(kTime) : format.error().why;
}

TEST(DateFormat, NumbersAreAsWideAsTheirLetters) {
    EXPECT_EQ(text("yyyy-MM ss:SSS"), "2026-11 05:678");
    EXPECT_EQ(text("yy M s S"), "26 11 5 678");
}

TEST(DateFormat, MonthsHaveNames) {
    EXPECT_EQ(text("MMM/MMMM"), "Nov/November");
}

TEST(DateFormat, QuotesKeepLetters) {
    EXPECT_EQ(text("'at' ss 'o''clock' ''"), "at 05 o'clock '");
}

TEST(DateFormat, ALetterThatIsNotKnownIsNamed) {
    EXPECT_EQ(text("yyyy Q"),
              "Illegal pattern character 'Q' in the date format yyyy Q: yMdHhmsSa are understood "
              "here");
}

}  // namespace
}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// Bytes as Java's text.
#include "text/utf8.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

std::string text_of(std::string_view bytes) {
    return utf8_text(as_bytes(bytes));
}

TEST(Utf8, WhatIsTextStaysAsItIs) {
    EXPECT_EQ(text_of("a\tß€😀"), "a\tß€😀");
}

TEST(Utf8, WhatIsNoneIsReplaced) {
    const std::string one = "\xEF\xBF\xBD";
    EXPECT_EQ(text_of("\xFFx"), one + "x");
    EXPECT_EQ(text_of("\xC0\x80"), one + one);            // overlong
    EXPECT_EQ(text_of("\xED\xA0\x80"), one + one + one);  // a surrogate
    EXPECT_EQ(text_of("\xF5"), one);
}

TEST(Utf8, ASequenceThatBreaksOffIsReplacedOnce) {
    const std::string one = "\xEF\xBF\xBD";
    EXPECT_EQ(text_of("\xE2\x82"), one);
    EXPECT_EQ(text_of("\xF0\x9F\x98x"), one + "x");
}

}  // namespace
}  // namespace milena::cli

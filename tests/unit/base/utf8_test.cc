// SPDX-License-Identifier: Apache-2.0
// Sequences of each length, and each way in which one can be wrong.
#include "milena/base/utf8.h"

#include <gtest/gtest.h>

namespace milena {
namespace {

TEST(Utf8, SequencesHaveOneToFourBytes) {
    EXPECT_EQ(utf8_sequence("a"), 1U);
    EXPECT_EQ(utf8_sequence("\x7f"), 1U);
    EXPECT_EQ(utf8_sequence("\xc3\xa9x"), 2U);
    EXPECT_EQ(utf8_sequence("\xe2\x82\xac"), 3U);
    EXPECT_EQ(utf8_sequence("\xf0\x9f\x98\x80"), 4U);
    EXPECT_EQ(utf8_sequence("\xf4\x8f\xbf\xbf"), 4U) << "U+10FFFF";
}

TEST(Utf8, WhatIsCutOrDoesNotGoOnIsNone) {
    EXPECT_EQ(utf8_sequence("\x80"), 0U);
    EXPECT_EQ(utf8_sequence("\xc3"), 0U);
    EXPECT_EQ(utf8_sequence("\xe2\x82"), 0U);
    EXPECT_EQ(utf8_sequence("\xe2\x82x"), 0U);
    EXPECT_EQ(utf8_sequence("\xff"), 0U);
}

TEST(Utf8, OverlongFormsSurrogatesAndWhatLiesBehindUnicodeAreNone) {
    EXPECT_EQ(utf8_sequence("\xc0\x80"), 0U);
    EXPECT_EQ(utf8_sequence("\xe0\x80\x80"), 0U);
    EXPECT_EQ(utf8_sequence("\xed\xa0\x80"), 0U);
    EXPECT_EQ(utf8_sequence("\xf0\x80\x80\x80"), 0U);
    EXPECT_EQ(utf8_sequence("\xf4\x90\x80\x80"), 0U);
}

}  // namespace
}  // namespace milena

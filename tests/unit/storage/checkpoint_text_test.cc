// SPDX-License-Identifier: Apache-2.0
// The text of checkpoints: fields, line numbers, what is malformed.
#include "checkpoint_text.h"

#include <gtest/gtest.h>

namespace milena::storage {
namespace {

TEST(CheckpointText, HasItsFieldsByLine) {
    const auto checkpoint = CheckpointText::parse("f", "0\n2\na 0 5\nb 1 6\n");
    ASSERT_TRUE(checkpoint);
    ASSERT_EQ(checkpoint->lines().size(), 2U);
    EXPECT_EQ(checkpoint->lines()[1].number, 4U);
    EXPECT_EQ(checkpoint->lines()[1].fields, (std::vector<std::string_view>{"b", "1", "6"}));
}

TEST(CheckpointText, IsEmptyBeforeItIsWritten) {
    const auto checkpoint = CheckpointText::parse("f", "");
    ASSERT_TRUE(checkpoint);
    EXPECT_TRUE(checkpoint->lines().empty());
}

TEST(CheckpointText, BlankLinesAndOtherLineEndsAreNoEntries) {
    const auto checkpoint = CheckpointText::parse("f", "0\r\n1\r\n\n   \na 1\r\n");
    ASSERT_TRUE(checkpoint);
    ASSERT_EQ(checkpoint->lines().size(), 1U);
    EXPECT_EQ(checkpoint->lines()[0].number, 5U);
}

TEST(CheckpointText, WhatIsMalformedHasAPlace) {
    for (const auto& [text, place] : {std::pair{"1\n0\n", "f:1:"},
                                      {"x", "f:1:"},
                                      {"0\n", "f:2:"},
                                      {"0\n-1\n", "f:2:"},
                                      {"0\n1\n", "f:2:"},
                                      {"0\n0\na 1\n", "f:2:"}}) {
        const auto checkpoint = CheckpointText::parse("f", text);
        ASSERT_FALSE(checkpoint) << text;
        EXPECT_TRUE(checkpoint.error().why.starts_with(place)) << checkpoint.error().why;
    }
}

}  // namespace
}  // namespace milena::storage

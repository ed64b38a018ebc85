// SPDX-License-Identifier: Apache-2.0
// Texts of errors fit into a string of the protocol.
#include "error_text.h"

#include <gtest/gtest.h>

#include "milena/protocol/codec.h"

namespace milena::server {
namespace {

using protocol::kStringBytesMax;

TEST(ErrorText, IsWholeWhereItFits) {
    const std::string longest(kStringBytesMax, 'x');
    EXPECT_EQ(error_text("why"), "why");
    EXPECT_EQ(error_text(longest), longest);
}

TEST(ErrorText, IsCutToWhatAStringMayHold) {
    const std::string text(2 * kStringBytesMax, 'x');
    EXPECT_EQ(error_text(text), text.substr(0, kStringBytesMax));
}

TEST(ErrorText, IsNotCutWithinACharacter) {
    const std::string_view euro = "\xE2\x82\xAC";
    for (std::size_t before = kStringBytesMax - euro.size(); before <= kStringBytesMax; ++before) {
        const std::string head(before, 'x');
        const bool fits = before + euro.size() <= kStringBytesMax;
        const std::string whole = fits ? head + std::string(euro) : head;
        EXPECT_EQ(error_text(head + std::string(euro) + "tail").substr(0, whole.size()), whole);
        EXPECT_EQ(error_text(head + std::string(euro) + "tail").size(),
                  fits ? kStringBytesMax : before);
    }
}

TEST(ErrorText, OfBytesThatAreNoTextIsCutAnywhere) {
    EXPECT_EQ(error_text(std::string(2 * kStringBytesMax, '\x80')).size(), kStringBytesMax);
}

}  // namespace
}  // namespace milena::server

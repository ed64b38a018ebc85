// SPDX-License-Identifier: Apache-2.0
// Against what Java says.
#include "java_text.h"

#include <gtest/gtest.h>

namespace milena::coordinator {
namespace {

TEST(JavaText, HashesAsJavaDoes) {
    EXPECT_EQ(java_hash(""), 0);
    EXPECT_EQ(java_hash("g"), 103);
    EXPECT_EQ(java_hash("hello"), 99162322);
    EXPECT_EQ(java_hash("polygenelubricants"), INT32_MIN);
}

TEST(JavaText, CountsInUtf16) {
    EXPECT_EQ(java_hash("\u00e9"), 0xE9);
    EXPECT_EQ(java_hash("\u20ac"), 0x20AC);
    EXPECT_EQ(java_hash("\U0001F600"), 0xD83D * 31 + 0xDE00);
    EXPECT_EQ(java_length("a\u00e9\u20ac\U0001F600"), 5U);
    EXPECT_EQ(java_units("a\u00e9\u20ac\U0001F600"), u"a\u00e9\u20ac\U0001F600");
}

TEST(JavaText, TakesWhatIsNoUtf8ByteByByte) {
    // Cut, overlong, a surrogate, beyond the last character, and no beginning.
    for (const char* text : {"\xe2\x82", "\xc0\x80", "\x80\xff"}) EXPECT_EQ(java_length(text), 2U);
    EXPECT_EQ(java_length("\xed\xa0\x80"), 3U);
    EXPECT_EQ(java_length("\xf4\x90\x80\x80"), 4U);
    EXPECT_EQ(java_hash("\xff"), 0xFFFD);
}

}  // namespace
}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// JSON text, the awkward characters above all.
#include "json_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace milena::protocol {

namespace {

std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(text, out);
    return out;
}
std::string base64(std::string_view text) {
    std::string out;
    append_json_base64(as_bytes(text), out);
    return out;
}

TEST(JsonText, EscapesWhatJsonMayNotHold) {
    EXPECT_EQ(quoted("a\"b\\c\n\r\t\x01\x1F\x7F"), R"("a\"b\\c\n\r\t\u0001\u001f\u007f")");
    EXPECT_EQ(quoted(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(JsonText, KeepsUtf8) {
    EXPECT_EQ(quoted("é€😀"), "\"é€😀\"");
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
    const std::string replaced = "\xEF\xBF\xBD";
    EXPECT_EQ(quoted("\xFF"), '"' + replaced + '"');
    EXPECT_EQ(quoted("\xC0\x80"), '"' + replaced + replaced + '"');                    // overlong
    EXPECT_EQ(quoted("\xED\xA0\x80x"), '"' + replaced + replaced + replaced + "x\"");  // surrogate
    EXPECT_EQ(quoted("\xF4\x90\x80\x80"), '"' + replaced + replaced + replaced + replaced + '"');
    EXPECT_EQ(quoted("\xE2\x82"), '"' + replaced + replaced + '"');  // cut
}

TEST(JsonText, WritesBase64WithPadding) {
    // RFC 4648, section 10.
    EXPECT_EQ(base64(""), "\"\"");
    EXPECT_EQ(base64("f"), "\"Zg==\"");
    EXPECT_EQ(base64("fo"), "\"Zm8=\"");
    EXPECT_EQ(base64("foo"), "\"Zm9v\"");
    EXPECT_EQ(base64("foob"), "\"Zm9vYg==\"");
    EXPECT_EQ(base64("fooba"), "\"Zm9vYmE=\"");
    EXPECT_EQ(base64("foobar"), "\"Zm9vYmFy\"");
    EXPECT_EQ(base64("\xFB\xFF"), "\"+/8=\"");
}

TEST(JsonText, WritesDoublesAsJavaDoes) {
    const auto written = [](double number) {
        std::string out;
        append_json_double(number, out);
        return out;
    };
    EXPECT_EQ(written(0), "0.0");
    EXPECT_EQ(written(1048576), "1048576.0");
    EXPECT_EQ(written(-0.001), "-0.001");
    EXPECT_EQ(written(9999999.5), "9999999.5");
    EXPECT_EQ(written(1e7), "1.0E7");
    EXPECT_EQ(written(12345678.9), "1.23456789E7");
    EXPECT_EQ(written(0.00025), "2.5E-4");
    EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "\"Infinity\"");
}

TEST(JsonText, NamesFieldsWithASmallFirstLetter) {
    std::string out;
    append_json_name("KRaftVersion", out);
    EXPECT_EQ(out, "kRaftVersion");
}

}  // namespace

}  // namespace milena::protocol

// SPDX-License-Identifier: Apache-2.0
// Lines to records.
#include "records/line_reader.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(LineReader, ALineIsAValue) {
    auto reader = *LineReader::make({});
    const auto record = reader.parse("a\tb");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->key, std::nullopt);
    EXPECT_EQ(record->value, "a\tb");
}

TEST(LineReader, TakesHeadersKeyAndValueApart) {
    auto reader = *LineReader::make({{"parse.key", "true"}, {"parse.headers", " TRUE "}});
    const auto record = reader.parse("h1:v1,h2:v2\tk\tv");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->headers, (std::vector<Header>{{"h1", "v1"}, {"h2", "v2"}}));
    EXPECT_EQ(record->key, "k");
    EXPECT_EQ(record->value, "v");
}

TEST(LineReader, NamesTheLineThatHasNoSeparator) {
    auto reader = *LineReader::make({{"parse.key", "true"}, {"key.separator", ":"}});
    ASSERT_TRUE(reader.parse("a:1"));
    EXPECT_EQ(reader.parse("nokey").error().why,
              "No key separator found on line number 2: 'nokey'");
}

TEST(LineReader, OrTakesItAsAValueIfErrorsAreIgnored) {
    auto reader = *LineReader::make({{"parse.key", "true"}, {"ignore.error", "true"}});
    EXPECT_EQ(reader.parse("nokey")->value, "nokey");
}

TEST(LineReader, AMarkerIsNull) {
    auto reader = *LineReader::make(
        {{"parse.key", "true"}, {"parse.headers", "true"}, {"null.marker", "NULL"}});
    const auto record = reader.parse("h:NULL\tNULL\tNULL");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->headers, (std::vector<Header>{{"h", std::nullopt}}));
    EXPECT_EQ(record->key, std::nullopt);
    EXPECT_EQ(record->value, std::nullopt);
    EXPECT_FALSE(reader.parse("NULL:x\tk\tv"));
}

TEST(LineReader, AHeaderNeedsAKey) {
    auto reader = *LineReader::make({{"parse.headers", "true"}});
    EXPECT_EQ(reader.parse("h\tv").error().why,
              "No header key separator found in pair 'h' on line number 1");
}

TEST(LineReader, ALineMayMeanOneThingOnly) {
    const auto complaint = [](const std::map<std::string, std::string, std::less<>>& properties) {
        const auto reader = LineReader::make(properties);
        return reader ? std::string() : reader.error().why;
    };
    EXPECT_EQ(complaint({{"headers.delimiter", ","}}),
              "headers.delimiter and headers.separator may not be equal");
    EXPECT_EQ(complaint({{"headers.key.separator", ","}}),
              "headers.separator and headers.key.separator may not be equal");
    EXPECT_EQ(complaint({{"headers.delimiter", ":"}}),
              "headers.delimiter and headers.key.separator may not be equal");
    EXPECT_EQ(complaint({{"null.marker", "x"}, {"key.separator", "x"}}),
              "null.marker and key.separator may not be equal");
    EXPECT_EQ(complaint({{"null.marker", ","}}),
              "null.marker and headers.separator may not be equal");
    EXPECT_EQ(complaint({{"key.separator", "\t"}}), "") << "that of headers is the same by default";
}

}  // namespace
}  // namespace milena::cli

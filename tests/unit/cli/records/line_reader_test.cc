// SPDX-License-Identifier: Apache-2.0
// Lines to records.
#include "records/line_reader.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(LineReader, ALineIsAValue) {
    LineReader reader({});
    const auto record = reader.parse("a\tb");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->key, std::nullopt);
    EXPECT_EQ(record->value, "a\tb");
}

TEST(LineReader, TakesHeadersKeyAndValueApart) {
    LineReader reader({{"parse.key", "true"}, {"parse.headers", " TRUE "}});
    const auto record = reader.parse("h1:v1,h2:v2\tk\tv");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->headers, (std::vector<Header>{{"h1", "v1"}, {"h2", "v2"}}));
    EXPECT_EQ(record->key, "k");
    EXPECT_EQ(record->value, "v");
}

TEST(LineReader, NamesTheLineThatHasNoSeparator) {
    LineReader reader({{"parse.key", "true"}, {"key.separator", ":"}});
    ASSERT_TRUE(reader.parse("a:1"));
    EXPECT_EQ(reader.parse("nokey").error().why,
              "No key separator found on line number 2: 'nokey'");
}

TEST(LineReader, OrTakesItAsAValueIfErrorsAreIgnored) {
    LineReader reader({{"parse.key", "true"}, {"ignore.error", "true"}});
    EXPECT_EQ(reader.parse("nokey")->value, "nokey");
}

TEST(LineReader, AMarkerIsNull) {
    LineReader reader({{"parse.key", "true"}, {"parse.headers", "true"}, {"null.marker", "NULL"}});
    const auto record = reader.parse("h:NULL\tNULL\tNULL");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->headers, (std::vector<Header>{{"h", std::nullopt}}));
    EXPECT_EQ(record->key, std::nullopt);
    EXPECT_EQ(record->value, std::nullopt);
    EXPECT_FALSE(reader.parse("NULL:x\tk\tv"));
}

TEST(LineReader, AHeaderNeedsAKey) {
    LineReader reader({{"parse.headers", "true"}});
    EXPECT_EQ(reader.parse("h\tv").error().why,
              "No header key separator found in pair 'h' on line number 1");
}

}  // namespace
}  // namespace milena::cli

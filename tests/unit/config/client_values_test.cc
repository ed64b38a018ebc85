// SPDX-License-Identifier: Apache-2.0
// The words are those that Apache Kafka 4.4.0 answered to the same values.
#include <gtest/gtest.h>

#include "milena/config/keys.h"

namespace milena::config {
namespace {

std::string why(std::string_view key, std::string_view text) {
    const TopicKey* const row = find_topic_key(key);
    const auto value = parse_client_value(key, row->type, row->allowed, text);
    return value ? "was accepted" : value.error().why;
}

std::string printed(ValueType type, std::string_view text) {
    return *value_text(*parse_client_value("key", type, {}, text));
}

TEST(ClientValues, RefusesInKafkasWords) {
    EXPECT_EQ(why("retention.ms", "abc"),
              "Invalid value abc for configuration retention.ms: Not a number of type LONG");
    EXPECT_EQ(why("segment.bytes", "99999999999"),
              "Invalid value 99999999999 for configuration segment.bytes: Not a number of type "
              "INT");
    EXPECT_EQ(why("retention.ms", " -2 "),
              "Invalid value -2 for configuration retention.ms: Value must be at least -1");
    EXPECT_EQ(why("min.cleanable.dirty.ratio", "1.5"),
              "Invalid value 1.5 for configuration min.cleanable.dirty.ratio: Value must be no "
              "more than 1");
    EXPECT_EQ(why("compression.gzip.level", "0"),
              "Invalid value 0 for configuration compression.gzip.level: Value must be between 1 "
              "and 9 or equal to -1");
    EXPECT_EQ(why("preallocate", "maybe"),
              "Invalid value maybe for configuration preallocate: Expected value to be either "
              "true or false");
    EXPECT_EQ(why("compression.type", "brotli"),
              "Invalid value brotli for configuration compression.type: String must be one of: "
              "uncompressed, zstd, lz4, snappy, gzip, producer");
}

TEST(ClientValues, NamesTheElementOfAListThatIsWrong) {
    EXPECT_EQ(why("cleanup.policy", "delete,burn"),
              "Invalid value burn for configuration cleanup.policy: String must be one of: "
              "compact, delete");
    EXPECT_EQ(why("cleanup.policy", "delete,,compact"),
              "Configuration 'cleanup.policy' values must not be empty.");
}

TEST(ClientValues, TakesAnElementThatComesTwiceOnce) {
    EXPECT_EQ(printed(ValueType::list, "b, a,b"), "b,a");
}

TEST(ClientValues, PrintsNumbersAsJavaDoes) {
    EXPECT_EQ(printed(ValueType::float64, ".25"), "0.25");
    EXPECT_EQ(printed(ValueType::float64, "1"), "1.0");
    EXPECT_EQ(printed(ValueType::float64, "0"), "0.0");
    EXPECT_EQ(printed(ValueType::float64, "1e7"), "1.0E7");
    EXPECT_EQ(printed(ValueType::float64, "0.0001"), "1.0E-4");
    EXPECT_EQ(printed(ValueType::float64, "1.7976931348623157e308"), "1.7976931348623157E308");
    EXPECT_EQ(printed(ValueType::int64, "+500"), "500");
    EXPECT_EQ(printed(ValueType::boolean, "TRUE"), "true");
}

TEST(ClientValues, PrintsNothingForNull) {
    EXPECT_EQ(value_text({}), std::nullopt);
}

}  // namespace
}  // namespace milena::config

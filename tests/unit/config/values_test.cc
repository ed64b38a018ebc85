// SPDX-License-Identifier: Apache-2.0
// Texts of values, good and bad, by type: what Java's own parsers accept is accepted.
#include <gtest/gtest.h>

#include "milena/config/keys.h"

namespace milena::config {
namespace {

template <class T>
std::optional<T> get(ValueType type, const Allowed& allowed, std::string_view text) {
    const auto value = parse_value(type, allowed, text);
    if (!value) return std::nullopt;
    return std::get<T>(*value);
}

std::string why(ValueType type, const Allowed& allowed, std::string_view text) {
    const auto value = parse_value(type, allowed, text);
    return value ? "was allowed" : value.error().why;
}

TEST(Values, BooleansAreTrueAndFalseInAnyCase) {
    EXPECT_EQ(get<bool>(ValueType::boolean, {}, "true"), true);
    EXPECT_EQ(get<bool>(ValueType::boolean, {}, " FALSE "), false);
    EXPECT_EQ(why(ValueType::boolean, {}, "yes"), "allowed is true or false");
}

TEST(Values, NumbersTakeTheWholeTextAndTheirRange) {
    EXPECT_EQ(get<std::int64_t>(ValueType::int32, {}, " -2147483648 "), -2147483648LL);
    EXPECT_EQ(get<std::int64_t>(ValueType::int32, {}, "+7"), 7);
    EXPECT_EQ(get<std::int64_t>(ValueType::int64, {}, "9223372036854775807"), INT64_MAX);
    for (const auto* text : {"", "7x", "0x10", "1.0", "2147483648", "+-7", "1_000"}) {
        EXPECT_EQ(get<std::int64_t>(ValueType::int32, {}, text), std::nullopt) << text;
    }
    EXPECT_EQ(get<std::int64_t>(ValueType::int16, {}, "32768"), std::nullopt);
}

TEST(Values, MessagesSayTypeAndRange) {
    EXPECT_EQ(why(ValueType::int32, {.min = 1}, "0"),
              "allowed is a whole number of 32 bits, 1 or more");
    EXPECT_EQ(why(ValueType::int32, {.min = -1, .max = 9, .except = 0}, "0"),
              "allowed is a whole number of 32 bits, -1 to 9 but not 0");
    EXPECT_EQ(why(ValueType::float64, {.min = 0, .max = 1}, "1.5"), "allowed is a number, 0 to 1");
    EXPECT_EQ(why(ValueType::string, {.words = "a|b"}, "c"), "allowed is one of a, b");
}

TEST(Values, RealsAreFinite) {
    EXPECT_EQ(get<double>(ValueType::float64, {}, "0.5"), 0.5);
    EXPECT_EQ(get<double>(ValueType::float64, {}, "1.7976931348623157e308"),
              1.7976931348623157e308);
    EXPECT_EQ(get<double>(ValueType::float64, {}, "nan"), std::nullopt);
    EXPECT_EQ(get<double>(ValueType::float64, {}, "inf"), std::nullopt);
}

TEST(Values, ListsAreCutAtCommasAndTrimmed) {
    using List = std::vector<std::string>;
    EXPECT_EQ(get<List>(ValueType::list, {}, " a , b,c "), (List{"a", "b", "c"}));
    EXPECT_EQ(get<List>(ValueType::list, {}, "  "), List{});
    EXPECT_EQ(get<List>(ValueType::list, {.words = "compact|delete"}, "delete,gone"), std::nullopt);
}

TEST(Values, WordsMatchInTheirCaseUnlessAnyWillDo) {
    EXPECT_EQ(get<std::string>(ValueType::string, {.words = "lz4|zstd"}, "LZ4"), std::nullopt);
    EXPECT_EQ(get<std::string>(ValueType::string, {.words = "lz4|zstd", .any_case = true}, "LZ4"),
              "LZ4");
}

}  // namespace
}  // namespace milena::config

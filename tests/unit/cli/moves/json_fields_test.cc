// SPDX-License-Identifier: Apache-2.0
// Fields of JSON files, and what is said of those that are wrong.
#include "moves/json_fields.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace milena::cli {
namespace {

TEST(JsonFields, AreReadByTheirTypes) {
    const auto json = parse_json(R"({"t":"x","n":-5,"ns":[1,2],"ts":["a"]})");
    ASSERT_TRUE(json);
    EXPECT_EQ(*text_field(*json, "t"), "x");
    EXPECT_EQ(*number_field(*json, "n"), -5);
    EXPECT_EQ(*numbers_field(*json, "ns"), (std::vector<std::int32_t>{1, 2}));
    EXPECT_EQ(*texts_field(*json, "ts"), std::vector<std::string>{"a"});
    EXPECT_TRUE(check_object(*json));
    EXPECT_TRUE(check_version(*json));
}

TEST(JsonFields, OfAnotherTypeAreShown) {
    const auto json =
        parse_json(R"({"t":1,"n":"x","big":18446744073709551615,"ns":[1.5],"o":[1]})");
    ASSERT_TRUE(json);
    EXPECT_EQ(text_field(*json, "t").error().why, "Expected `String` value, received 1");
    EXPECT_EQ(number_field(*json, "n").error().why, "Expected `Integer` value, received \"x\"");
    EXPECT_EQ(number_field(*json, "big").error().why,
              "Expected `Integer` value, received 18446744073709551615");
    EXPECT_EQ(numbers_field(*json, "ns").error().why, "Expected `Integer` value, received 1.5");
    EXPECT_EQ(texts_field(*json, "t").error().why, "Expected `JSON array` value, received 1");
    EXPECT_EQ(objects_of((*json)["t"]).error().why, "Expected JSON array, received 1");
    EXPECT_EQ(objects_of((*json)["o"]).error().why, "Expected JSON object, received 1");
    EXPECT_EQ(text_field(*json, "none").error().why, "No such field exists: `none`");
}

TEST(JsonFields, WhatIsNoJsonIsNothing) {
    EXPECT_FALSE(parse_json(""));
    EXPECT_FALSE(parse_json("{\"a\":"));
}

}  // namespace
}  // namespace milena::cli

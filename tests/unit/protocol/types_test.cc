// SPDX-License-Identifier: Apache-2.0
// The views that messages are made of: null is not empty, and nobody reads beyond an end.
#include "milena/protocol/types.h"

#include <gtest/gtest.h>

#include <vector>

namespace milena::protocol {

namespace {

TEST(NullableString, TellsEmptyFromNull) {
    EXPECT_FALSE(NullableString().has_value());
    EXPECT_FALSE(NullableString(std::nullopt).has_value());
    EXPECT_TRUE(NullableString(std::string_view()).has_value());
    EXPECT_TRUE(NullableString("").has_value());
    EXPECT_NE(NullableString(), NullableString(""));
    EXPECT_EQ(NullableString("a"), "a");
    EXPECT_EQ(NullableString().value_or("none"), "none");
}

TEST(NullableArray, TellsEmptyFromNull) {
    const NullableArray<std::int32_t> null;
    const NullableArray<std::int32_t> empty = Array<std::int32_t>();
    EXPECT_FALSE(null.has_value());
    EXPECT_TRUE(empty.has_value());
    EXPECT_FALSE(null == empty);
    EXPECT_TRUE(std::begin(null) == std::end(null));
}

TEST(NullableBytes, TellsEmptyFromNull) {
    EXPECT_FALSE(NullableBytes().has_value());
    EXPECT_TRUE(NullableBytes(BytesView()).has_value());
    EXPECT_FALSE(NullableBytes() == NullableBytes(BytesView()));
}

TEST(Array, ViewsAnyContiguousElements) {
    const std::vector<std::int32_t> elements{1, 2, 3};
    const Array<std::int32_t> array = elements;
    EXPECT_EQ(array.size(), 3U);
    EXPECT_EQ(array.data(), elements.data());
    EXPECT_EQ(array[2], 3);
    EXPECT_EQ(array, Array<std::int32_t>(std::vector<std::int32_t>{1, 2, 3}));
    EXPECT_FALSE(array == Array<std::int32_t>(std::span(elements).first(2)));
}

TEST(ArrayDeathTest, StopsAnIndexBeyondItsEnd) {
    EXPECT_DEATH(static_cast<void>(Array<std::int32_t>()[0]), "index out of range");
}

TEST(Records, KnowsWhereItsBytesAre) {
    EXPECT_FALSE(Records().has_value());
    const Records here = as_bytes("abc");
    EXPECT_EQ(as_text(here.bytes()), "abc");
    EXPECT_FALSE(here.is_external());
    const Records elsewhere = Records::external(3, 9);
    EXPECT_TRUE(elsewhere.has_value() && elsewhere.is_external());
    EXPECT_EQ(elsewhere.size(), 3U);
    EXPECT_EQ(elsewhere.index(), 9U);
    EXPECT_FALSE(here == elsewhere);
}

TEST(Nullable, HoldsAStructOrNone) {
    struct Point {
        int x = 5;
        bool operator==(const Point&) const = default;
    };
    Nullable<Point> point;
    EXPECT_FALSE(point.has_value());
    point.emplace().x = 6;
    EXPECT_EQ(point->x, 6);
    EXPECT_EQ(point.emplace().x, 5);
    point = std::nullopt;
    EXPECT_FALSE(point == Nullable<Point>(Point{}));
}

}  // namespace

}  // namespace milena::protocol

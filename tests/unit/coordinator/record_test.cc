// SPDX-License-Identifier: Apache-2.0
// Records of groups to bytes and back.
#include "milena/coordinator/record.h"

#include <gtest/gtest.h>

#include "group/messages.h"
#include "milena/protocol/records/group.h"

namespace milena::coordinator::test {
namespace {

using protocol::GroupMetadataKey;
using protocol::GroupMetadataValue;

TEST(Record, BeginsWithTypeAndVersion) {
    const auto record = make_record(GroupMetadataKey{.group = "g"}, GroupMetadataValue{}, 3);
    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(record->key, bytes(std::string_view("\0\2\0\1g", 5)));
    EXPECT_EQ(leading_number(*record->value), std::int16_t{3});
    protocol::Arena arena;
    EXPECT_EQ(decode_after_number<GroupMetadataKey>(record->key, arena)->group, "g");
    EXPECT_TRUE(decode_after_number<GroupMetadataValue>(*record->value, arena).has_value());
}

TEST(Record, ATombstoneHasNoValue) {
    const auto record = make_tombstone(GroupMetadataKey{.group = "g"});
    ASSERT_TRUE(record.has_value());
    EXPECT_FALSE(record->value.has_value());
}

TEST(Record, RefusesATextTooLongForItsField) {
    const std::string name(40'000, 'x');
    EXPECT_FALSE(make_tombstone(GroupMetadataKey{.group = name}).has_value());
    EXPECT_FALSE(make_record(GroupMetadataKey{.group = name}, GroupMetadataValue{}, 3).has_value());
}

TEST(Record, WhatIsTooShortHasNoNumber) {
    EXPECT_FALSE(leading_number(bytes("x")).has_value());
    protocol::Arena arena;
    EXPECT_FALSE(decode_after_number<GroupMetadataKey>(bytes("x"), arena).has_value());
}

}  // namespace
}  // namespace milena::coordinator::test

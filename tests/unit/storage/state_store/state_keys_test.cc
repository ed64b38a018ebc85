// SPDX-License-Identifier: Apache-2.0
// Keys sort by space, the position first in it, and give back what they were made of.
#include "state_store/state_keys.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace milena::storage {
namespace {

TEST(StateKeys, SortBySpaceWithThePositionFirst) {
    const StateSpace one{Uuid{1, UINT64_MAX}, PartitionIndex(2)};
    const StateSpace next{Uuid{1, UINT64_MAX}, PartitionIndex(256)};
    const StateSpace last{Uuid{0x8000'0000'0000'0000, 0}, PartitionIndex(0)};
    const std::vector<std::string> keys{position_key(one),
                                        record_key(one, {}),
                                        record_key(one, as_bytes("\xFF\xFF")),
                                        after_prefix(space_prefix(one)),
                                        position_key(next),
                                        record_key(next, as_bytes("a")),
                                        position_key(last)};
    EXPECT_TRUE(std::ranges::is_sorted(keys));
}

TEST(StateKeys, GiveBackWhatTheyWereMadeOf) {
    const StateSpace space{Uuid{0x0102'0304'0506'0708, 9}, PartitionIndex(77)};
    EXPECT_EQ(space_of_position(position_key(space)), space);
    EXPECT_EQ(space_of_position(record_key(space, {})), std::nullopt);
    EXPECT_EQ(space_of_position("short"), std::nullopt);
    EXPECT_EQ(as_text(key_of_record(record_key(space, as_bytes("key")))), "key");
}

TEST(StateKeys, AfterAPrefixOfTheGreatestByte) {
    EXPECT_EQ(after_prefix("a"), "b");
    EXPECT_EQ(after_prefix("a\xFF\xFF"), "b");
    EXPECT_EQ(after_prefix("\x7F"), "\x80");
}

TEST(StateKeys, KeepAPosition) {
    const StatePosition position{Offset(1LL << 40), LeaderEpoch(-1), -5};
    EXPECT_EQ(decode_position(encode_position(position)), position);
    EXPECT_EQ(decode_position(encode_position(position) + "x"), std::nullopt);
}

}  // namespace
}  // namespace milena::storage

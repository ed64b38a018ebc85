// SPDX-License-Identifier: Apache-2.0
// The map of keys against std::map, and its bounds.
#include "cleaner/offset_map.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace milena::storage {
namespace {

constexpr std::array<std::uint64_t, 2> kSecret{5, 6};

TEST(OffsetMap, KnowsTheLastOffsetOfEachKey) {
    OffsetMap map(10 << 20, 0.9, kSecret);
    std::map<std::string, Offset> expected;
    for (std::int64_t offset = 0; offset < 20'000; ++offset) {
        const std::string key = "key-" + std::to_string(offset * 7919 % 5000);
        ASSERT_TRUE(map.put(as_bytes(key), Offset(offset)));
        expected[key] = Offset(offset);
    }
    for (const auto& [key, offset] : expected) ASSERT_EQ(map.find(as_bytes(key)), offset) << key;
    EXPECT_EQ(map.find(as_bytes("another")), Offset(-1));
    EXPECT_EQ(map.size(), expected.size());
    EXPECT_EQ(map.latest(), Offset(19'999));
}

TEST(OffsetMap, TakesNoMoreMemoryThanItMay) {
    constexpr std::uint64_t kBytes = 1 << 20;
    OffsetMap map(kBytes, 0.9, kSecret);
    std::int64_t count = 0;
    while (map.put(as_bytes("key-" + std::to_string(count)), Offset(count))) ++count;
    EXPECT_LE(map.memory_bytes(), kBytes);
    // While it grows the old table counts too: two thirds of it are used.
    EXPECT_GT(static_cast<double>(count), 0.9 * 0.6 * (kBytes / OffsetMap::kEntryBytes));
    EXPECT_GT(map.utilisation(), 0.99);
    EXPECT_EQ(map.latest(), Offset(count - 1)) << "what found no room is not told";
    EXPECT_TRUE(map.put(as_bytes("key-0"), Offset(count))) << "a key that is there finds room";
    EXPECT_EQ(map.find(as_bytes("key-0")), Offset(count));
    EXPECT_EQ(map.find(as_bytes("key-" + std::to_string(count))), Offset(-1));
}

TEST(OffsetMap, ASmallLogTakesLittle) {
    OffsetMap map(128ULL << 20, 0.9, kSecret);
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(map.put(as_bytes(std::to_string(i)), Offset(i)));
    EXPECT_LT(map.memory_bytes(), 64U << 10);
    EXPECT_LT(map.utilisation(), 0.001);
}

TEST(OffsetMap, HasRoomForSomeKeysWhateverItMay) {
    OffsetMap map(0, 0, kSecret);
    EXPECT_TRUE(map.put(as_bytes("key"), Offset(0)));
}

}  // namespace
}  // namespace milena::storage

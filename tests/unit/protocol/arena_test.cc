// SPDX-License-Identifier: Apache-2.0
// An arena through its door: what it hands out, what it forgets, what it refuses.
#include "milena/protocol/arena.h"

#include <gtest/gtest.h>

namespace milena::protocol {

namespace {

TEST(Arena, HandsOutAlignedFreshElementsThatDoNotOverlap) {
    Arena arena;
    std::vector<std::span<std::int64_t>> arrays;
    for (std::size_t count = 0; count < 300; ++count) {
        arena.make_array<char>(1);
        arrays.push_back(arena.make_array<std::int64_t>(count));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays.back().data()) % alignof(std::int64_t),
                  0U);
        for (std::int64_t& element : arrays.back()) {
            EXPECT_EQ(element, 0);
            element = static_cast<std::int64_t>(count);
        }
    }
    for (const auto& array : arrays) {
        for (const std::int64_t element : array) {
            EXPECT_EQ(element, static_cast<std::int64_t>(array.size()));
        }
    }
}

TEST(Arena, CountsWhatItHandedOut) {
    Arena arena;
    arena.make_array<std::int32_t>(10);
    arena.copy(std::string_view("abc"));
    EXPECT_EQ(arena.bytes_used(), 43U);
    arena.reset();
    EXPECT_EQ(arena.bytes_used(), 0U);
}

TEST(Arena, UsesTheSameMemoryAgainAfterReset) {
    Arena arena;
    const std::byte* const first = arena.make_array<std::byte>(100).data();
    arena.reset();
    EXPECT_EQ(arena.make_array<std::byte>(100).data(), first);
}

TEST(Arena, GivesElementsFreshAfterReset) {
    Arena arena;
    for (std::int32_t& element : arena.make_array<std::int32_t>(100)) element = 7;
    arena.reset();
    for (const std::int32_t element : arena.make_array<std::int32_t>(100)) EXPECT_EQ(element, 0);
}

TEST(Arena, BoundsWhatDecodersTakeAndNothingElse) {
    Arena arena(100);
    arena.make_array<std::byte>(1000);
    EXPECT_NE(arena.try_take(60, 1), nullptr);
    EXPECT_EQ(arena.try_take(60, 1), nullptr);
    EXPECT_NE(arena.try_take(40, 1), nullptr);
    EXPECT_EQ(arena.try_take(1, 1), nullptr);
    arena.reset();
    EXPECT_NE(arena.try_take(100, 1), nullptr);
}

TEST(Arena, CopiesTextThatThenOutlivesItsSource) {
    Arena arena;
    std::string text(10'000, 'x');
    const std::string_view copy = arena.copy(std::string_view(text));
    text.assign(text.size(), 'y');
    EXPECT_EQ(copy, std::string(10'000, 'x'));
    EXPECT_EQ(arena.copy(std::string_view()), "");
}

TEST(Arena, MovesWithItsContents) {
    Arena source;
    const std::string_view text = source.copy(std::string_view("kept"));
    Arena target(std::move(source));
    EXPECT_EQ(text, "kept");
    EXPECT_EQ(target.bytes_used(), 4U);
}

}  // namespace

}  // namespace milena::protocol

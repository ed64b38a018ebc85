// SPDX-License-Identifier: Apache-2.0
// What an output keeps, and what it forgets.
#include "milena/wire/output.h"

#include <gtest/gtest.h>

namespace milena::wire {
namespace {

TEST(Output, KeepsItsBytesWhileItGrows) {
    Output output;
    for (std::uint8_t i = 0; i < 200; ++i) std::ranges::fill(output.extend(100), std::byte{i});
    ASSERT_EQ(output.bytes().size(), 20'000U);
    for (std::size_t i = 0; i < 200; ++i)
        EXPECT_EQ(output.bytes()[i * 100 + 99], static_cast<std::byte>(i));
}

TEST(Output, RemembersWhereFilesGo) {
    Output output;
    output.extend(10);
    output.add_file_at(4, nullptr, 100, 7);
    output.add_file(nullptr, 200, 8);
    ASSERT_EQ(output.files().size(), 2U);
    EXPECT_EQ(output.files()[0].position, 4U);
    EXPECT_EQ(output.files()[1].position, 10U);
    EXPECT_EQ(output.files()[1].length, 8U);
}

TEST(Output, IsEmptyAfterItWasCleared) {
    Output output;
    output.extend(1 << 20);
    output.add_file(nullptr, 0, 1);
    output.clear();
    EXPECT_TRUE(output.empty());
    EXPECT_TRUE(output.files().empty());
    EXPECT_EQ(output.extend(3).size(), 3U);
}

TEST(OutputDeathTest, TakesFilesOnlyInTheirOrder) {
    Output output;
    output.extend(10);
    output.add_file_at(5, nullptr, 0, 1);
    EXPECT_DEATH(output.add_file_at(4, nullptr, 0, 1), "order");
}

}  // namespace
}  // namespace milena::wire

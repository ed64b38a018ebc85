// SPDX-License-Identifier: Apache-2.0
// What was added comes out again, in order.
#include "materialiser/staged_changes.h"

#include <gtest/gtest.h>

namespace milena::drivers {
namespace {

TEST(StagedChanges, GiveWhatWasAddedInOrder) {
    StagedChanges staged;
    staged.add(as_bytes("one"), as_bytes("first"));
    staged.add(as_bytes("two"), std::nullopt);
    staged.add(as_bytes("three"), as_bytes(""));
    const auto changes = staged.changes();
    ASSERT_EQ(changes.size(), 3U);
    EXPECT_EQ(as_text(changes[0].key), "one");
    EXPECT_EQ(as_text(*changes[0].value), "first");
    EXPECT_EQ(as_text(changes[1].key), "two");
    EXPECT_FALSE(changes[1].value.has_value());
    EXPECT_EQ(as_text(changes[2].key), "three");
    EXPECT_EQ(changes[2].value->size(), 0U) << "empty is not none";
    EXPECT_EQ(staged.bytes(), 16U);
    staged.clear();
    EXPECT_TRUE(staged.changes().empty());
    EXPECT_EQ(staged.bytes(), 0U);
}

}  // namespace
}  // namespace milena::drivers

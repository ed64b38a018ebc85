// SPDX-License-Identifier: Apache-2.0
// Lists whose copies share their items.
#include "milena/base/shared_list.h"

#include <gtest/gtest.h>

namespace milena {
namespace {

TEST(SharedList, HoldsWhatItWasGiven) {
    const SharedList<int> list{3, 1, 2};
    EXPECT_EQ(list.size(), 3U);
    EXPECT_EQ(list.front(), 3);
    EXPECT_EQ(list[2], 2);
    EXPECT_EQ(list.to_vector(), (std::vector<int>{3, 1, 2}));
}

TEST(SharedList, SharesItsItemsWithItsCopies) {
    SharedList<int> copy;
    {
        const SharedList<int> list{1, 2};
        copy = list;
        EXPECT_EQ(copy.data(), list.data());
    }
    EXPECT_EQ(copy, (SharedList<int>{1, 2}));
    copy = SharedList<int>(copy);
    EXPECT_EQ(copy.size(), 2U);
    const SharedList<int> moved = std::move(copy);
    EXPECT_EQ(moved.size(), 2U);
}

TEST(SharedList, IsEqualByItsItems) {
    EXPECT_EQ((SharedList<int>{1, 2}), (std::vector<int>{1, 2}));
    EXPECT_NE((SharedList<int>{1, 2}), (SharedList<int>{2, 1}));
    EXPECT_NE((SharedList<int>{1, 2}), (SharedList<int>{1, 2, 3}));
    EXPECT_EQ(SharedList<int>(), SharedList<int>(std::vector<int>()));
}

TEST(SharedList, HasNoMemoryWhenItIsEmpty) {
    EXPECT_EQ(SharedList<int>(std::vector<int>()).data(), nullptr);
    EXPECT_EQ(sizeof(SharedList<int>), sizeof(void*));
}

}  // namespace
}  // namespace milena

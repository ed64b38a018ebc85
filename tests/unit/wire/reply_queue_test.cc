// SPDX-License-Identifier: Apache-2.0
// The order and the bound of the answers of one connection.
#include <gtest/gtest.h>

#include "milena/wire/connection.h"

namespace milena::wire {
namespace {

TEST(ReplyQueue, AnswersLeaveInTheOrderOfTheirRequests) {
    ReplyQueue queue;
    auto& first = queue.open();
    auto& second = queue.open();
    queue.mark_done(second);
    EXPECT_EQ(queue.front_done(), nullptr) << "the first is still awaited";
    EXPECT_EQ(queue.pending(), 1U);
    queue.mark_done(first);
    EXPECT_EQ(queue.front_done(), &first);
    queue.pop_front();
    EXPECT_EQ(queue.front_done(), &second);
    queue.pop_front();
    EXPECT_EQ(queue.size(), 0U);
}

TEST(ReplyQueue, ReusesItsSlotsEmptied) {
    ReplyQueue queue;
    for (std::size_t i = 0; i < 3 * kRepliesMax; ++i) {
        auto& slot = queue.open();
        EXPECT_TRUE(slot.output.empty());
        EXPECT_FALSE(slot.close_after);
        slot.output.extend(8);
        slot.close_after = true;
        queue.mark_done(slot);
        queue.pop_front();
    }
}

TEST(ReplyQueueDeathTest, HoldsNoMoreThanItsBound) {
    ReplyQueue queue;
    for (std::size_t i = 0; i < kRepliesMax; ++i) queue.open();
    EXPECT_DEATH(queue.open(), "more answers");
}

}  // namespace
}  // namespace milena::wire

// SPDX-License-Identifier: Apache-2.0
// Waiting for the end of what others do.
#include "milena/env/under_way.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace milena::env {
namespace {

TEST(UnderWay, IsWaitedForUntilTheLastHasEnded) {
    UnderWay writes;
    writes.wait_for_none();
    std::atomic<int> ended = 0;
    std::thread waiting;
    {
        const UnderWay::Mark first(writes);
        {
            const UnderWay::Mark second(writes);
            waiting = std::thread([&] {
                writes.wait_for_none();
                EXPECT_EQ(ended.load(), 2);
            });
            ++ended;
        }
        ++ended;
    }
    waiting.join();
    writes.wait_for_none();
}

}  // namespace
}  // namespace milena::env

// SPDX-License-Identifier: Apache-2.0
// News of partitions reach the fetch that waits, once each and none lost.
#include "fetch_wait.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::server {
namespace {

using namespace std::chrono_literals;

class FetchWaitTest : public testing::Test {
protected:
    FetchWaitTest() { wait->begin(3); }

    /// What news() gives, with its deadline that far ahead.
    void ask(env::Duration within) {
        woken.reset();
        env::spawn(node.core(0), [](FetchWaitTest& test, env::Duration time) -> env::Task<void> {
            test.woken = co_await test.wait->news(test.node.clock().now() + time, test.seen);
        }(*this, within));
    }
    void tell(std::size_t partition) { wait->listener(partition)->partition_has_news(); }
    using Numbers = std::vector<std::uint32_t>;

    sim::World world{1};
    sim::Node& node = world.add_node("n");
    std::shared_ptr<FetchWait> wait = std::make_shared<FetchWait>(node, node.core(0));
    std::optional<bool> woken;
    Numbers seen;
};

TEST_F(FetchWaitTest, NamesEachPartitionWithNewsOnceInTheirOrder) {
    for (const std::size_t partition : {2U, 0U, 2U}) tell(partition);
    ask(10s);
    world.run_for(1s);
    EXPECT_EQ(woken, true);
    EXPECT_EQ(seen, (Numbers{2, 0}));
}

TEST_F(FetchWaitTest, NewsAfterTheMarkWasTakenMarkAgain) {
    tell(1);
    ask(10s);
    world.run_for(1s);
    tell(1);
    ask(10s);
    world.run_for(1s);
    EXPECT_EQ(seen, Numbers{1});
}

TEST_F(FetchWaitTest, GivesNothingAtItsDeadlineOrItsEnd) {
    ask(2s);
    world.run_for(1s);
    EXPECT_FALSE(woken.has_value());
    world.run_for(2s);
    EXPECT_EQ(woken, false);
    ask(1h);
    wait->end();
    world.run_for(1s);
    EXPECT_EQ(woken, true);
    EXPECT_EQ(seen, Numbers{});
}

TEST_F(FetchWaitTest, NewsOfTheFetchBeforeAreNobodysNews) {
    const auto late = wait->listener(2);
    tell(1);
    wait->begin(1);
    late->partition_has_news();
    ask(2s);
    world.run_for(3s);
    EXPECT_EQ(seen, Numbers{});
}

TEST_F(FetchWaitTest, ListenersEndWithTheWait) {
    const std::weak_ptr<replication::FetchListener> listener = wait->listener(0);
    wait.reset();
    EXPECT_TRUE(listener.expired());
}

}  // namespace
}  // namespace milena::server

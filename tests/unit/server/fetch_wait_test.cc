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
    /// What news() gives, with its deadline that many seconds ahead.
    void ask(env::Duration within) {
        seen.reset();
        env::spawn(node.core(0), [](FetchWaitTest& test, env::Duration time) -> env::Task<void> {
            test.seen = co_await test.wait->news(test.node.clock().now() + time);
        }(*this, within));
    }

    sim::World world{1};
    sim::Node& node = world.add_node("n");
    std::shared_ptr<FetchWait> wait = std::make_shared<FetchWait>(node, node.core(0), 3);
    std::optional<std::vector<std::uint32_t>> seen;
};

TEST_F(FetchWaitTest, NamesEachPartitionWithNewsOnceInTheirOrder) {
    wait->listener(2).lock()->partition_has_news();
    wait->listener(0).lock()->partition_has_news();
    wait->listener(2).lock()->partition_has_news();
    ask(10s);
    world.run_for(1s);
    EXPECT_EQ(seen, (std::vector<std::uint32_t>{2, 0}));
}

TEST_F(FetchWaitTest, NewsAfterTheMarkWasTakenMarkAgain) {
    wait->listener(1).lock()->partition_has_news();
    ask(10s);
    world.run_for(1s);
    wait->listener(1).lock()->partition_has_news();
    ask(10s);
    world.run_for(1s);
    EXPECT_EQ(seen, std::vector<std::uint32_t>{1});
}

TEST_F(FetchWaitTest, GivesNothingAtItsDeadlineOrItsEnd) {
    ask(2s);
    world.run_for(1s);
    EXPECT_FALSE(seen.has_value());
    world.run_for(2s);
    EXPECT_EQ(seen, std::vector<std::uint32_t>{});
    ask(1h);
    wait->end()();
    world.run_for(1s);
    EXPECT_EQ(seen, std::vector<std::uint32_t>{});
}

TEST_F(FetchWaitTest, ListenersEndWithTheWait) {
    const auto listener = wait->listener(0);
    wait.reset();
    EXPECT_TRUE(listener.expired());
}

}  // namespace
}  // namespace milena::server

// SPDX-License-Identifier: Apache-2.0
// Work that takes its turn in the disk pool.
#include "milena/env/pool_turns.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::env {
namespace {

TEST(PoolTurns, RunsInTheOrderOfTheCallsAndOnlySoMuchAtOnce) {
    // Offloaded work of the simulator runs in an order of its own; here each waits for the one
    // before.
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        sim::World world(seed);
        sim::Node& node = world.add_node("n1");
        PoolTurns turns(1);
        std::vector<int> order;
        const auto take_turn = [&](int number) -> Task<void> {
            co_await turns.run(node, node.core(0), [&order, number] { order.push_back(number); });
        };
        for (int i = 0; i < 10; ++i) spawn(node.core(0), take_turn(i));
        ASSERT_TRUE(world.run_until([&] { return order.size() == 10; }));
        EXPECT_TRUE(std::ranges::is_sorted(order));
        world.run_for(std::chrono::seconds(1));
        spawn(node.core(0), take_turn(10));  // the last one has passed its turn on
        ASSERT_TRUE(world.run_until([&] { return order.size() == 11; }));
    }
}

TEST(PoolTurns, AreNotHeldUpByTheCoreOfTheOneBefore) {
    // Half an hour before its work begins, and half an hour before its coroutine goes on.
    sim::World world(1);
    sim::Node& node = world.add_node("n1");
    PoolTurns one(1);
    std::vector<int> done;
    const auto take_turn = [&](int number) -> Task<void> {
        co_await one.run(node, node.core(0), [] {});
        done.push_back(number);
    };
    node.set_offload_delay(std::chrono::minutes(30), std::chrono::minutes(30));
    spawn(node.core(0), take_turn(0));
    world.run_for(std::chrono::seconds(1));
    node.set_offload_delay(std::chrono::milliseconds(1), std::chrono::milliseconds(1));
    spawn(node.core(0), take_turn(1));
    world.run_for(std::chrono::minutes(31));
    EXPECT_EQ(done, std::vector<int>{1});
    world.run_for(std::chrono::hours(1));
    EXPECT_EQ(done, (std::vector<int>{1, 0}));
}

TEST(PoolTurns, AStalledOneKeepsItsPlaceAndNoOther) {
    sim::World world(1);
    sim::Node& node = world.add_node("n1");
    PoolTurns two(2);
    std::vector<int> done;
    const auto take_turn = [&](int number) -> Task<void> {
        co_await two.run(node, node.core(0), [] {});
        done.push_back(number);
    };
    node.set_offload_delay(std::chrono::hours(1), std::chrono::hours(1));
    spawn(node.core(0), take_turn(0));
    world.run_for(std::chrono::seconds(1));
    node.set_offload_delay(std::chrono::milliseconds(1), std::chrono::milliseconds(1));
    for (int i = 1; i <= 3; ++i) spawn(node.core(0), take_turn(i));
    world.run_for(std::chrono::seconds(1));
    EXPECT_EQ(done, (std::vector<int>{1, 2, 3}));  // by the second place
    world.run_for(std::chrono::hours(3));
    EXPECT_EQ(done, (std::vector<int>{1, 2, 3, 0}));
}

}  // namespace
}  // namespace milena::env

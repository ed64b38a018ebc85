// SPDX-License-Identifier: Apache-2.0
// The simulated world as a whole: time, replay, lives and deaths of nodes.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "sim/world.h"

namespace milena::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Two nodes that chat, write files, sleep and offload for a while, with some faults: the history
/// as one number.
std::uint64_t history(std::uint64_t seed) {
    World world(seed);
    Node& one = world.add_node("one");
    Node& other = world.add_node("other");
    world.network().set_break_rate(0.01);
    one.faults().set_error_rate(0.01);

    world.boot(other, [](Node& node) {
        env::spawn(node.core(0), [](Node& n) -> env::Task<void> {
            const auto acceptor = n.network().listen({"", 1}, n.core(0));
            if (!acceptor) co_return;
            while (const auto stream = co_await (*acceptor)->accept(n.core(1))) {
                std::array<std::byte, 100> buffer{};
                while ((co_await (*stream)->read_some(buffer)).value_or(0) > 0) {
                    co_await n.offload(env::Pool::disk, [&n] {
                        if (auto file = n.files().open("/f", env::OpenMode::create)) {
                            (void)(*file)->write_at(n.random().next() % 1000, as_bytes("x"));
                        }
                    });
                }
            }
        }(node));
    });
    world.boot(one, [](Node& node) {
        env::spawn(node.core(0), [](Node& n) -> env::Task<void> {
            while (true) {
                const auto stream = co_await n.network().connect({"other", 1}, n.core(0));
                for (int i = 0; stream && i < 10; ++i) {
                    const BytesView piece = as_bytes("some bytes that may be cut anywhere");
                    (void)co_await (*stream)->write(std::span(&piece, 1));
                    co_await n.sleep(n.core(0), milliseconds(10));
                }
                co_await n.sleep(n.core(0), milliseconds(10));
            }
        }(node));
    });
    world.after(seconds(2), [&] { world.crash(other, Crash::power); });
    world.after(seconds(3), [&] { world.restart(other); });
    world.run_for(seconds(5));
    return world.trace_hash();
}

TEST(World, OneSeedHasOneHistory) {
    std::set<std::uint64_t> histories;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::uint64_t first = history(seed);
        EXPECT_EQ(history(seed), first) << seed;
        histories.insert(first);
    }
    EXPECT_EQ(histories.size(), 20U) << "different seeds, different histories";
}

TEST(World, AnHourPassesInAMoment) {
    World world(1);
    Node& node = world.add_node("n1");
    EXPECT_TRUE(world.run(node, node.sleep(node.core(0), hours(1)), hours(2)));
    EXPECT_EQ(world.now() - env::Instant{}, hours(1));
    world.run_for(seconds(1));
    EXPECT_EQ(world.now() - env::Instant{}, hours(1) + seconds(1));
}

TEST(World, RunUntilSaysWhetherItCameToThat) {
    World world(1);
    bool flag = false;
    world.after(seconds(5), [&] { flag = true; });
    EXPECT_FALSE(world.run_until([&] { return flag; }, seconds(3)));
    EXPECT_TRUE(world.run_until([&] { return flag; }, seconds(3)));
    EXPECT_EQ(world.now() - env::Instant{}, seconds(5));
}

TEST(World, ReadyTasksRunInAnOrderOfTheSeed) {
    std::set<std::string> orders;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        World world(seed);
        std::string order;
        for (const char* name : {"a", "b", "c"}) {
            Node& node = world.add_node(name);
            env::post(node.core(0), [&order, name] { order += name; });
        }
        world.run_for(seconds(1));
        orders.insert(order);
    }
    EXPECT_EQ(orders.size(), 6U);
}

TEST(World, CrashDestroysTheCoroutinesOfItsNodeAndNoOther) {
    World world(1);
    Node& one = world.add_node("one");
    Node& other = world.add_node("other");
    const auto witness = std::make_shared<int>(0);
    for (Node* node : {&one, &other}) {
        for (const env::Executor& where : {node->core(0), node->core(1), node->control()}) {
            env::spawn(where,
                       [](Node& n, env::Executor here, std::shared_ptr<int> w) -> env::Task<void> {
                           co_await n.sleep(here, seconds(10));
                           ++*w;
                       }(*node, where, witness));
            env::spawn(where,
                       [](Node& n, env::Executor there, std::shared_ptr<int> w) -> env::Task<void> {
                           co_await env::run_on(there, n.sleep(there, seconds(10)));
                           ++*w;
                       }(*node, node->core(1), witness));
            env::spawn(where, [](Node& n, std::shared_ptr<int> w) -> env::Task<void> {
                n.set_offload_delay(seconds(5), seconds(5));
                co_await n.offload(env::Pool::disk, [w] { *w += 100; });
            }(*node, witness));
        }
    }
    world.run_for(seconds(1));
    world.crash(one, Crash::process);
    EXPECT_FALSE(world.is_up(one));
    EXPECT_EQ(witness.use_count(), 1 + 9 + 3);  // the other's: nine tasks, three offloaded jobs
    world.run_for(seconds(20));
    EXPECT_EQ(*witness, 6 + 300);
}

TEST(World, WhatIsKeptDiesAfterTheCoroutinesThatUseIt) {
    struct Part {
        explicit Part(std::vector<std::string>& to) : log(to) {}
        ~Part() { log.push_back("part"); }
        std::vector<std::string>& log;
    };
    struct User {
        explicit User(Part& of) : part(of) {}
        ~User() { part.log.push_back("user"); }
        Part& part;
    };
    World world(1);
    Node& node = world.add_node("n1");
    std::vector<std::string> log;
    world.boot(node, [&log](Node& n) {
        auto part = std::make_shared<Part>(log);
        env::spawn(n.core(0), [](Node& self, Part& used) -> env::Task<void> {
            const User user(used);
            co_await self.sleep(self.core(0), hours(1));
        }(n, *part));
        n.keep(std::move(part));
    });
    world.run_for(seconds(1));
    world.crash(node, Crash::process);
    EXPECT_EQ(log, (std::vector<std::string>{"user", "part"}));
    world.restart(node);
    world.run_for(seconds(1));
    world.crash(node, Crash::power);
    EXPECT_EQ(log.size(), 4U) << "boot ran again";
}

TEST(World, PowerIsLostAtTheCallThatWasAskedFor) {
    World world(1);
    Node& node = world.add_node("n1");
    int calls = 0;
    env::spawn(node.core(0), [](Node& n, int& count) -> env::Task<void> {
        while (true) {
            (void)n.files().free_bytes("/");
            ++count;
            co_await n.sleep(n.core(0), milliseconds(1));
        }
    }(node, calls));
    node.faults().lose_power_at_call(5);
    world.run_for(seconds(1));
    EXPECT_FALSE(world.is_up(node));
    EXPECT_EQ(calls, 6);
    world.restart(node);
    EXPECT_TRUE(node.files().free_bytes("/"));
}

TEST(World, ClocksOfNodesHaveNothingInCommonButTheirPace) {
    World world(1);
    Node& one = world.add_node("one");
    Node& other = world.add_node("other");
    EXPECT_NE(one.clock().now(), other.clock().now());
    EXPECT_EQ(one.clock().wall(), other.clock().wall());
    other.clock().set_wall_skew(seconds(-30));
    const env::Instant before = one.clock().now();
    world.run_for(seconds(7));
    EXPECT_EQ(one.clock().now() - before, seconds(7));
    EXPECT_EQ(one.clock().wall().value - other.clock().wall().value, 30'000);
}

TEST(World, NodesDrawDifferentRandomNumbers) {
    World world(1);
    EXPECT_NE(world.add_node("one").random().next(), world.add_node("other").random().next());
}

TEST(SeededRandom, StaysWithinItsBoundsAndReachesThem) {
    SeededRandom random(1);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1000; ++i) seen.insert(random.between(std::uint64_t{3}, std::uint64_t{7}));
    EXPECT_EQ(seen, (std::set<std::uint64_t>{3, 4, 5, 6, 7}));
    int hits = 0;
    for (int i = 0; i < 10000; ++i) hits += random.chance(0.25) ? 1 : 0;
    EXPECT_NEAR(hits, 2500, 200);
}

}  // namespace
}  // namespace milena::sim

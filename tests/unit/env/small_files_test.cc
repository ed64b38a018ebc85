// SPDX-License-Identifier: Apache-2.0
// Small files through every crash and every failing call, on the simulated disk.
#include <gtest/gtest.h>

#include <set>

#include "sim/fail_each.h"
#include "sim/world.h"

namespace milena::env {
namespace {

using sim::Crash;
using sim::FaultPlan;
using sim::Node;
using sim::World;

std::string content(Node& node) {
    const auto text = read_file(node.files(), "/a", 1U << 20);
    return text ? *text : text.error().why;
}

TEST(ReplaceFile, LeavesTheOldContentOrTheNewWhereverThePowerGoes) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        bool is_over = false;
        for (std::uint64_t call = 0; !is_over; ++call) {
            World world(seed);
            Node& node = world.add_node("n1");
            ASSERT_TRUE(replace_file(node.files(), "/a", "old"));
            node.faults().lose_power_at_call(call);
            const auto replaced = replace_file(node.files(), "/a", "new content");
            is_over = !node.faults().has_fired();
            world.crash(node, Crash::power);
            world.restart(node);
            const std::string after = content(node);
            EXPECT_TRUE(after == "new content" || (after == "old" && !replaced)) << after;
            seen.insert(after);
        }
    }
    EXPECT_EQ(seen.size(), 2U);
}

TEST(ReplaceFile, ReportsEveryCallThatFails) {
    const std::uint64_t runs = sim::fail_each_call(7, [](World&, Node& node, FaultPlan& faults) {
        const auto replaced = replace_file(node.files(), "/a", "content");
        EXPECT_EQ(replaced.has_value(), !faults.has_fired());
    });
    EXPECT_EQ(runs, 6U);  // open, write, sync, rename, sync of the directory, and the run in which
                          // all went well
}

TEST(ReadFile, ReportsEveryCallThatFails) {
    const std::uint64_t runs = sim::fail_each_call(7, [](World&, Node& node, FaultPlan& faults) {
        faults.pause();
        ASSERT_TRUE(replace_file(node.files(), "/a", "content"));
        faults.resume();
        EXPECT_EQ(read_file(node.files(), "/a", 100).has_value(), !faults.has_fired());
    });
    EXPECT_EQ(runs, 4U);  // open, size, read, and the run in which all went well
}

TEST(ReplaceFile, WorksInTheCurrentDirectoryAndInTheRoot) {
    World world(1);
    Node& node = world.add_node("n1");
    for (const char* path : {"a", "/a"}) {
        ASSERT_TRUE(replace_file(node.files(), path, path)) << path;
        EXPECT_EQ(*read_file(node.files(), path, 10), path);
    }
}

}  // namespace
}  // namespace milena::env

// SPDX-License-Identifier: Apache-2.0
// The faults of the simulated disk: what a power cut may and may not do, failing calls, failing
// syncs, full disks, bit rot. Each claim about chance is checked over many seeds: what must never
// happen in any, what may in some.
#include <gtest/gtest.h>

#include <set>

#include "sim/world.h"

namespace milena::sim {
namespace {

constexpr std::uint64_t kSeeds = 200;

std::string content(Node& node, const std::string& path) {
    const auto text = env::read_file(node.files(), path, 1U << 20);
    return text ? *text : "none";
}

void write(Node& node, const std::string& path, std::string_view text, bool sync = false) {
    const auto file = node.files().open(path, env::OpenMode::create);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write_at(0, as_bytes(text)));
    if (sync) ASSERT_TRUE((*file)->sync());
}

/// What `path` holds after `before`, a power cut and a restart, over many seeds.
std::set<std::string> outcomes(const std::string& path, const std::function<void(Node&)>& before) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        World world(seed);
        Node& node = world.add_node("n1");
        before(node);
        world.crash(node, Crash::power);
        world.restart(node);
        seen.insert(content(node, path));
    }
    return seen;
}

TEST(SimDisk, KeepsWhatWasSynced) {
    const auto seen = outcomes("/a", [](Node& node) {
        write(node, "/a", "hello", true);
        ASSERT_TRUE(node.files().sync_directory("/"));
    });
    EXPECT_EQ(seen, std::set<std::string>{"hello"});
}

TEST(SimDisk, AWriteWithoutASyncIsKeptLostOrTorn) {
    const auto seen = outcomes("/a", [](Node& node) {
        write(node, "/a", "", true);
        ASSERT_TRUE(node.files().sync_directory("/"));
        write(node, "/a", "abcd");
    });
    EXPECT_EQ(seen, (std::set<std::string>{"", "a", "ab", "abc", "abcd"}));
}

TEST(SimDisk, WritesWithoutASyncAreLostEachByItself) {
    const auto seen = outcomes("/a", [](Node& node) {
        write(node, "/a", "..", true);
        ASSERT_TRUE(node.files().sync_directory("/"));
        const auto file = node.files().open("/a", env::OpenMode::read_write);
        ASSERT_TRUE((*file)->write_at(0, as_bytes("x")));
        ASSERT_TRUE((*file)->write_at(1, as_bytes("y")));
    });
    EXPECT_EQ(seen, (std::set<std::string>{"..", "x.", ".y", "xy"}));
}

TEST(SimDisk, ANameWithoutASyncOfItsDirectoryMayBeUndone) {
    const auto seen = outcomes("/a", [](Node& node) { write(node, "/a", "hello", true); });
    EXPECT_EQ(seen, (std::set<std::string>{"none", "hello"}));
}

TEST(SimDisk, ASyncOfAnotherDirectoryDoesNotHelp) {
    const auto seen = outcomes("/d/a", [](Node& node) {
        ASSERT_TRUE(node.files().create_directories("/d"));
        ASSERT_TRUE(node.files().sync_directory("/"));
        write(node, "/d/a", "hello", true);
        ASSERT_TRUE(node.files().sync_directory("/"));
    });
    EXPECT_TRUE(seen.contains("none"));
}

TEST(SimDisk, ARenameWithoutASyncIsDoneOrNot) {
    const auto seen = outcomes("/a", [](Node& node) {
        write(node, "/a", "old", true);
        write(node, "/b", "new", true);
        ASSERT_TRUE(node.files().sync_directory("/"));
        ASSERT_TRUE(node.files().rename("/b", "/a"));
    });
    EXPECT_EQ(seen, (std::set<std::string>{"old", "new"}));
}

TEST(SimDisk, NameChangesOfADirectoryAreUndoneFromTheLast) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        World world(seed);
        Node& node = world.add_node("n1");
        for (const char* name : {"/1", "/2", "/3"}) write(node, name, "x", true);
        world.crash(node, Crash::power);
        world.restart(node);
        const bool has[] = {node.files().exists("/1"), node.files().exists("/2"),
                            node.files().exists("/3")};
        EXPECT_TRUE(has[0] >= has[1] && has[1] >= has[2]) << seed;
    }
}

TEST(SimDisk, ADirectoryMovedBetweenTwoIsInOneOfThem) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        World world(seed);
        Node& node = world.add_node("n1");
        ASSERT_TRUE(node.files().create_directories("/from/d"));
        ASSERT_TRUE(node.files().create_directories("/to"));
        write(node, "/from/d/a", "x", true);
        for (const char* directory : {"/", "/from", "/to", "/from/d"}) {
            ASSERT_TRUE(node.files().sync_directory(directory));
        }
        ASSERT_TRUE(node.files().rename("/from/d", "/to/d"));
        world.crash(node, Crash::power);
        world.restart(node);
        EXPECT_NE(content(node, "/from/d/a"), content(node, "/to/d/a")) << seed;
    }
}

TEST(SimDisk, AProcessThatDiesLosesNothingThatWasWritten) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        World world(seed);
        Node& node = world.add_node("n1");
        write(node, "/a", "hello");
        const auto file = node.files().open("/a", env::OpenMode::read_write);
        const auto lock = node.files().lock("/.lock");
        ASSERT_TRUE(lock);
        world.crash(node, Crash::process);
        world.restart(node);
        EXPECT_EQ(content(node, "/a"), "hello");
        EXPECT_FALSE((*file)->size()) << "a file of the dead process";
        EXPECT_TRUE(node.files().lock("/.lock"));
    }
}

TEST(SimDisk, ASyncThatFailsForgetsWhatItShouldHaveSaved) {
    const auto seen = outcomes("/a", [](Node& node) {
        write(node, "/a", "old", true);
        ASSERT_TRUE(node.files().sync_directory("/"));
        const auto file = node.files().open("/a", env::OpenMode::read_write);
        ASSERT_TRUE((*file)->write_at(0, as_bytes("new")));
        node.faults().set_syncs_fail(true);
        EXPECT_FALSE((*file)->sync());
        node.faults().set_syncs_fail(false);
        EXPECT_EQ(content(node, "/a"), "new");
        // This is why a failed sync is never retried: the second is content, and the bytes are
        // gone.
        EXPECT_TRUE((*file)->sync());
    });
    EXPECT_TRUE(seen.contains("old"));
    EXPECT_TRUE(seen.contains("new"));
}

TEST(SimDisk, AFullDiskTakesWhatFitsAndSaysSo) {
    World world(1);
    Node& node = world.add_node("n1");
    node.files().set_capacity(10);
    write(node, "/a", "0123456");
    EXPECT_EQ(*node.files().free_bytes("/"), 3U);
    const auto file = node.files().open("/b", env::OpenMode::create);
    const auto refused = (*file)->write_at(0, as_bytes("0123456"));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(env::is_out_of_space(refused.error()));
    EXPECT_EQ(content(node, "/b"), "012");
    // Writing over what is there needs no room, and room comes back with what is removed.
    write(node, "/a", "6543210");
    ASSERT_TRUE(node.files().remove("/a"));
    EXPECT_TRUE((*file)->write_at(0, as_bytes("0123456")));
}

TEST(SimDisk, BitsRotOnDemand) {
    World world(1);
    Node& node = world.add_node("n1");
    write(node, "/a", "abc", true);
    node.files().flip_bit("/a", 8 + 1);
    EXPECT_EQ(content(node, "/a"), "a`c");
}

TEST(SimDisk, AnErrorRateFailsSomeCalls) {
    World world(1);
    Node& node = world.add_node("n1");
    write(node, "/a", "abc");
    node.faults().set_error_rate(0.5);
    int failures = 0;
    for (int i = 0; i < 100; ++i) failures += node.files().free_bytes("/") ? 0 : 1;
    EXPECT_GT(failures, 20);
    EXPECT_LT(failures, 80);
}

TEST(SimDisk, AnEndlessLogWithoutSyncsStaysSmall) {
    // The oldest writes are written back by themselves, as a kernel does: after a power cut they
    // are there.
    const auto seen = outcomes("/a", [](Node& node) {
        write(node, "/a", "first");
        ASSERT_TRUE(node.files().sync_directory("/"));
        const auto file = node.files().open("/a", env::OpenMode::read_write);
        for (int i = 0; i < 3000; ++i) ASSERT_TRUE((*file)->write_at(4, as_bytes("t")));
    });
    EXPECT_EQ(seen, std::set<std::string>{"first"});
}

}  // namespace
}  // namespace milena::sim

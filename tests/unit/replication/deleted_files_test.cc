// SPDX-License-Identifier: Apache-2.0
// Files that wait for their end on a simulated disk.
#include "disk/deleted_files.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::replication {
namespace {

using namespace std::chrono_literals;

class DeletedFilesTest : public testing::Test {
protected:
    std::string make(const std::string& path) {
        EXPECT_TRUE(node_.files().open(path, env::OpenMode::create));
        return path;
    }
    bool exists(const std::string& path) { return node_.files().exists(path); }

    sim::World world_{1};
    sim::Node& node_{world_.add_node("n1")};
    DeletedFiles deleted_{node_, Logger()};
};

TEST_F(DeletedFilesTest, EachIsRemovedWhenItsDelayIsOver) {
    deleted_.add({make("/late")}, 10s);
    deleted_.add({make("/soon-1"), make("/soon-2")}, 2s);
    EXPECT_EQ(deleted_.remove_due(10) - node_.clock().now(), 2s);
    world_.run_for(2s);
    EXPECT_EQ(deleted_.remove_due(10) - node_.clock().now(), 8s);
    EXPECT_FALSE(exists("/soon-1") || exists("/soon-2"));
    EXPECT_TRUE(exists("/late"));
    world_.run_for(8s);
    EXPECT_EQ(deleted_.remove_due(10), env::kNever);
    EXPECT_FALSE(exists("/late"));
}

TEST_F(DeletedFilesTest, NoMoreGoAtOnceThanAsked) {
    deleted_.add({make("/1"), make("/2"), make("/3")}, 0s);
    EXPECT_LE(deleted_.remove_due(2), node_.clock().now());
    EXPECT_EQ(exists("/1") + exists("/2") + exists("/3"), 1);
    EXPECT_EQ(deleted_.remove_due(2), env::kNever);
}

TEST_F(DeletedFilesTest, OneThatCanNotBeRemovedIsLeft) {
    deleted_.add({make("/1"), make("/2")}, 0s);
    node_.faults().fail_call(0);
    EXPECT_EQ(deleted_.remove_due(10), env::kNever);
    EXPECT_EQ(exists("/1") + exists("/2"), 1);
}

TEST_F(DeletedFilesTest, TellsOfWhatIsNew) {
    int told = 0;
    deleted_.when_added([&] { ++told; });
    deleted_.add({}, 1s);
    EXPECT_EQ(told, 0);
    deleted_.add({make("/1")}, 1s);
    EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace milena::replication

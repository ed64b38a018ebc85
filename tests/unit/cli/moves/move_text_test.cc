// SPDX-License-Identifier: Apache-2.0
// The lines of kafka-reassign-partitions --verify and --list.
#include "moves/move_text.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(MoveText, SaysHowFarAPartitionIs) {
    EXPECT_EQ(
        progress_text({{{"t", 0}, {{1, 2}, {1, 2}, true}},
                       {{"t", 1}, {{1, 2}, {3}, false}},
                       {{"t", 2}, {{1, 2}, {2, 1}, true}}}),
        "Status of partition reassignment:\n"
        "Reassignment of partition t-0 is completed.\n"
        "Reassignment of partition t-1 is still in progress.\n"
        "There is no active reassignment of partition t-2, but replica set is 1,2 rather than "
        "2,1.");
    EXPECT_EQ(progress_text({}), "Status of partition reassignment:");
}

TEST(MoveText, SaysWhereAReplicaIs) {
    const PartitionReplica replica{3, {"t", 0}};
    const auto said = [&replica](const ReplicaPlace& place) {
        return place_text(replica, "/b", place);
    };
    EXPECT_EQ(said({"", ""}),
              "Partition t-0 is not found in any live log dir on broker 3. There is likely an "
              "offline log directory on the broker.");
    EXPECT_EQ(said({"/a", "/b"}), "Reassignment of replica t-0-3 is still in progress.");
    EXPECT_EQ(said({"/a", "/c"}),
              "Partition t-0 on broker 3 is being moved to log dir /c instead of /b.");
    EXPECT_EQ(said({"/a", ""}),
              "Partition t-0 on broker 3 is not being moved from log dir /a to /b.");
    EXPECT_EQ(said({"/b", ""}), "Reassignment of replica t-0-3 completed successfully.");
}

TEST(MoveText, AReplicaThatIsLostIsNotDone) {
    EXPECT_TRUE(is_done({"/a", ""}));
    EXPECT_FALSE(is_done({"/a", "/b"}));
    EXPECT_FALSE(is_done({"", ""}));
}

TEST(MoveText, ListsWhatMoves) {
    EXPECT_EQ(list_text({}), "No partition reassignments found.");
    EXPECT_EQ(list_text({{"t", {{0, {{2, 1}, {2}, {1}}}, {1, {{3}, {}, {2}}}}}}),
              "Current partition reassignments:\n"
              "t-0: replicas: 2,1. adding: 2. removing: 1.\n"
              "t-1: replicas: 3. removing: 2.");
}

}  // namespace
}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// Which replicas are throttled while they move.
#include "moves/throttle_plan.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using Values = std::map<std::string, std::string>;

TEST(ThrottlePlan, ThoseThatHaveAPartitionSendAndTheNewOnesReceive) {
    const MoveMap moves = moves_to({}, {{{"t", 0}, {2, 3}}}, {{{"t", 0}, {1, 2}}});
    EXPECT_EQ(leader_throttles(moves), (Values{{"t", "0:1,0:2"}}));
    EXPECT_EQ(follower_throttles(moves), (Values{{"t", "0:3"}}));
    EXPECT_EQ(moving_brokers(moves), (std::set<std::int32_t>{1, 2, 3}));
}

TEST(ThrottlePlan, WhatMovesAlreadyIsReadFromWhereItWas) {
    const Reassignments under_way{{"t", {{0, {{3, 1, 2}, {3}, {1}}}}}};
    const MoveMap moves = moves_to(under_way, {{{"t", 0}, {4, 2}}}, {{{"t", 0}, {3, 1, 2}}});
    EXPECT_EQ(leader_throttles(moves), (Values{{"t", "0:1,0:2"}}));
    EXPECT_EQ(follower_throttles(moves), (Values{{"t", "0:4"}}));
}

TEST(ThrottlePlan, OthersThatMoveStayThrottled) {
    const Reassignments under_way{{"other", {{7, {{1, 2}, {2}, {1}}}}}};
    const MoveMap moves = moves_to(under_way, {{{"t", 0}, {2}}}, {{{"t", 0}, {2}}});
    EXPECT_EQ(leader_throttles(moves), (Values{{"other", "7:1"}, {"t", "0:2"}}));
    // A topic whose partitions stay has an empty list, as the tool sets it.
    EXPECT_EQ(follower_throttles(moves), (Values{{"other", "7:2"}, {"t", ""}}));
}

TEST(ThrottlePlan, ListsAreSortedAsTexts) {
    const MoveMap moves =
        moves_to({}, {{{"t", 9}, {1}}, {{"t", 10}, {1}}}, {{{"t", 9}, {1}}, {{"t", 10}, {1}}});
    EXPECT_EQ(leader_throttles(moves), (Values{{"t", "10:1,9:1"}}));
}

}  // namespace
}  // namespace milena::cli

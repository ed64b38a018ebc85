// SPDX-License-Identifier: Apache-2.0
// What kafka-topics reads from its options.
#include "cluster/topic_actions.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(TopicActions, AnAssignmentHasTheBrokersOfEachPartition) {
    const auto assignment = parse_replica_assignment("1:2, 2:3");
    ASSERT_TRUE(assignment);
    EXPECT_EQ(*assignment, (ReplicaAssignment{{1, 2}, {2, 3}}));
    EXPECT_TRUE(parse_replica_assignment("")->empty());
}

TEST(TopicActions, AnAssignmentThatIsNoneIsNamed) {
    EXPECT_EQ(parse_replica_assignment("1:1").error().why,
              "Partition replica lists may not contain duplicate entries: 1");
    EXPECT_EQ(parse_replica_assignment("a:1").error().why, "For input string: \"a\"");
    EXPECT_FALSE(parse_replica_assignment("1:2,3"));
}

TEST(TopicActions, AConfigIsANameAndAValue) {
    const auto configs = parse_topic_configs({"retention.ms = 5"});
    ASSERT_TRUE(configs);
    EXPECT_EQ(*configs, (TopicConfigs{{"retention.ms", "5"}}));
    EXPECT_FALSE(parse_topic_configs({"retention.ms"}));
    EXPECT_FALSE(parse_topic_configs({"a=b=c"}));
}

}  // namespace
}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// Plans as kafka-reassign-partitions reads and writes them.
#include "moves/plan.h"

#include <gtest/gtest.h>

#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::string_view kTwoPartitions =
    R"({"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2],)"
    R"("log_dirs":["any","/d/2"]},{"topic":"t","partition":1,"replicas":[3],"log_dirs":["any"]}]})";

/// What is refused, as the tool prints it.
std::string refusal(std::string_view json) {
    const auto plan = parse_plan(json);
    if (!plan) return exception_text(plan.error());
    const auto checked = check_plan(*plan);
    return checked ? "" : exception_text(checked.error());
}

TEST(Plan, IsReadAndWritten) {
    const auto plan = parse_plan(kTwoPartitions);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->replicas(), (PartitionReplicas{{{"t", 0}, {1, 2}}, {{"t", 1}, {3}}}));
    EXPECT_EQ(plan->directories, (ReplicaDirectories{{{2, {"t", 0}}, "/d/2"}}));
    EXPECT_TRUE(check_plan(*plan));
    EXPECT_EQ(plan_json(plan->replicas(), plan->directories), kTwoPartitions);
}

TEST(Plan, DirectoriesAndVersionMayBeLeftOut) {
    const auto plan = parse_plan(R"({"partitions":[{"topic":"t","partition":0,"replicas":[1]}]})");
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->partitions.size(), 1U);
    EXPECT_TRUE(plan->directories.empty());
    EXPECT_TRUE(parse_plan("{}")->partitions.empty());
}

TEST(Plan, IsSortedByTopicAndPartitionNumber) {
    const PartitionReplicas replicas{{{"t", 10}, {1}}, {{"t", 9}, {1}}, {{"a", 11}, {1}}};
    const std::string json = plan_json(replicas, {});
    EXPECT_LT(json.find("11"), json.find(":9"));
    EXPECT_LT(json.find(":9"), json.find("10"));
}

TEST(Plan, WhatIsNoneIsNamed) {
    EXPECT_EQ(
        refusal("{"),
        "org.apache.kafka.tools.AdminOperationException: The input string is not a valid JSON");
    EXPECT_EQ(
        refusal(R"({"version":2,"partitions":[]})"),
        "org.apache.kafka.tools.AdminOperationException: Not supported version field value 2");
    EXPECT_EQ(refusal("{}"),
              "org.apache.kafka.tools.AdminCommandFailedException: Partition reassignment list "
              "cannot be empty");
    EXPECT_EQ(refusal(R"({"partitions":[{"partition":0,"replicas":[1]}]})"),
              "com.fasterxml.jackson.databind.JsonMappingException: No such field exists: `topic`");
    EXPECT_EQ(refusal(R"({"partitions":[{"topic":"t","partition":3000000000,"replicas":[1]}]})"),
              "com.fasterxml.jackson.databind.JsonMappingException: Expected `Integer` value, "
              "received 3000000000");
}

TEST(Plan, NothingIsListedTwice) {
    EXPECT_EQ(
        refusal(R"({"partitions":[{"topic":"t","partition":0,"replicas":[]}]})"),
        "org.apache.kafka.tools.AdminCommandFailedException: Partition replica list cannot be "
        "empty");
    EXPECT_EQ(refusal(R"({"partitions":[{"topic":"t","partition":0,"replicas":[1,2,1]}]})"),
              "org.apache.kafka.tools.AdminCommandFailedException: Partition replica lists may not "
              "contain duplicate entries: t-0 contains multiple entries for 1");
    EXPECT_EQ(refusal(R"({"partitions":[{"topic":"t","partition":0,"replicas":[1]},)"
                      R"({"topic":"t","partition":0,"replicas":[2]}]})"),
              "org.apache.kafka.tools.AdminCommandFailedException: Partition reassignment contains "
              "duplicate topic partitions: t-0");
}

TEST(Plan, HasADirectoryForEachReplicaOrForNone) {
    EXPECT_EQ(refusal(R"({"partitions":[{"topic":"t","partition":0,"replicas":[1,2],)"
                      R"("log_dirs":["any"]}]})"),
              "org.apache.kafka.tools.AdminCommandFailedException: Size of replicas list [1, 2] is "
              "different from size of log dirs list [any] for partition t-0");
}

TEST(Plan, IsMadeForTopicsAndBrokers) {
    EXPECT_EQ(*parse_topics_to_move(R"({"topics":[{"topic":"a"},{"topic":"b"}],"version":1})"),
              (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(parse_topics_to_move(R"({"topics":[{"topic":"a"},{"topic":"a"}]})").error().why,
              "List of topics to reassign contains duplicate entries: [a]");
    EXPECT_EQ(*parse_broker_list("1,22"), (BrokerIds{1, 22}));
    EXPECT_EQ(parse_broker_list("1,1").error().why, "Broker list contains duplicate entries: [1]");
    EXPECT_FALSE(parse_broker_list("1,"));
}

}  // namespace
}  // namespace milena::cli

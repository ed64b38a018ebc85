// SPDX-License-Identifier: Apache-2.0
// The lines of kafka-topics --describe, against what Kafka 4.4 printed.
#include "text/topic_text.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

class TopicTextTest : public testing::Test {
protected:
    TopicTextTest() {
        topic.state.name = "my.topic_x";
        topic.state.id = *Uuid::parse("G8k_u7xCRaOWBkhkaH_xjw");
        topic.state.partitions.push_back({0, 2, {2, 3, 1}, {2, 3}, BrokerIds{}, BrokerIds{1}});
        topic.configs = {{"cleanup.policy", "compact", ConfigSource::dynamic_topic, {}, {}, {}},
                         {"min.insync.replicas", "2", ConfigSource::dynamic_topic, {}, {}, {}},
                         {"segment.ms", "604800000", ConfigSource::defaults, {}, {}, {}}};
    }

    std::string described(const DescribeFilter& filter) {
        return describe_text(topic, filter, {1, 2, 3});
    }

    static constexpr std::string_view kPartitionLine =
        "\tTopic: my.topic_x\tPartition: 0\tLeader: 2\tReplicas: 2,3,1\tIsr: 2,3\tElr: "
        "\tLastKnownElr: 1\n";
    TopicDescription topic;
};

TEST_F(TopicTextTest, HasALineForTheTopicAndOneForEachPartition) {
    EXPECT_EQ(described({}),
              "Topic: my.topic_x\tTopicId: G8k_u7xCRaOWBkhkaH_xjw\tPartitionCount: "
              "1\tReplicationFactor: 3\tConfigs: cleanup.policy=compact,min.insync.replicas=2\n" +
                  std::string(kPartitionLine));
}

TEST_F(TopicTextTest, AFilterLeavesOnlyItsPartitions) {
    EXPECT_EQ(described({.under_replicated = true}), kPartitionLine);
    EXPECT_EQ(described({.at_min_isr = true}), kPartitionLine);
    EXPECT_EQ(described({.under_min_isr = true}), "");
    EXPECT_EQ(described({.unavailable = true}), "");
}

TEST_F(TopicTextTest, APartitionWithoutLeaderIsUnavailable) {
    topic.state.partitions[0].leader = -1;
    EXPECT_NE(described({.unavailable = true}).find("Leader: none"), std::string::npos);
    EXPECT_NE(described({.under_min_isr = true}).find("Leader: none"), std::string::npos);
}

TEST_F(TopicTextTest, OverridesAloneHaveTopicLinesAlone) {
    EXPECT_EQ(described({.only_overridden = true}).find("Partition: 0"), std::string::npos);
    topic.configs.resize(0);
    EXPECT_EQ(described({.only_overridden = true}), "");
}

TEST_F(TopicTextTest, WhatIsMovedIsShownAndNotCounted) {
    topic.reassignments[0] = {{2, 3, 1}, {1}, {}};
    const std::string text = described({});
    EXPECT_NE(text.find("ReplicationFactor: 2\t"), std::string::npos);
    EXPECT_NE(text.find("\tAdding Replicas: 1\tRemoving Replicas: \t"), std::string::npos);
    EXPECT_EQ(described({.under_replicated = true}), "");
}

TEST_F(TopicTextTest, AnOlderClusterDoesNotTellOfEligibleReplicas) {
    topic.state.partitions[0].eligible_leader_replicas.reset();
    topic.state.partitions[0].last_known_elr.reset();
    EXPECT_NE(described({}).find("\tElr: N/A\tLastKnownElr: N/A\n"), std::string::npos);
}

}  // namespace
}  // namespace milena::cli

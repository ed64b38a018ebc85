// SPDX-License-Identifier: Apache-2.0
// CreatePartitions. The errors and their texts are those that a live Apache Kafka 4.4 gave to the
// same requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../cluster.h"

namespace milena::controller {
namespace {

using ::testing::ElementsAre;
using Told = std::pair<ErrorCode, std::string>;

class PartitionGrowthTest : public ::testing::Test {
protected:
    PartitionGrowthTest() {
        cluster_.add_brokers(3);
        cluster_.create("t", {broker_ids({1, 2}), broker_ids({2, 3})});
    }

    std::vector<GrownTopic> ask(CreatePartitionsRequest request) {
        return cluster_.commit(cluster_.controller().create_partitions(request));
    }
    Told grow(std::int32_t count,
              std::optional<std::vector<std::vector<BrokerId>>> assignments = std::nullopt) {
        const auto told = ask({.topics = {{"t", count, std::move(assignments)}}});
        return {told.front().code, told.front().why};
    }
    std::size_t partitions() { return cluster_.image().topics->find("t")->partitions.size(); }

    Cluster cluster_;
};

TEST_F(PartitionGrowthTest, PlacesNewPartitionsBesideTheOld) {
    const auto before = cluster_.partition("t", 1);
    EXPECT_EQ(grow(5), Told(ErrorCode::none, ""));
    ASSERT_EQ(partitions(), 5U);
    EXPECT_EQ(cluster_.partition("t", 1), before);
    for (int index = 2; index < 5; ++index) {
        const auto& partition = cluster_.partition("t", index);
        EXPECT_EQ(partition.replicas.size(), 2U);
        EXPECT_EQ(partition.in_sync_replicas, partition.replicas);
        EXPECT_EQ(partition.leader, partition.replicas.front());
        EXPECT_EQ(partition.leader_epoch, LeaderEpoch(0));
    }
}

TEST_F(PartitionGrowthTest, TakesReplicasThatTheClientChose) {
    EXPECT_EQ(grow(4, {{broker_ids({3, 1}), broker_ids({1, 3})}}).first, ErrorCode::none);
    EXPECT_EQ(cluster_.partition("t", 2).replicas, broker_ids({3, 1}));
    EXPECT_EQ(cluster_.partition("t", 3).replicas, broker_ids({1, 3}));
}

TEST_F(PartitionGrowthTest, LeavesOutOfTheInSyncReplicasWhoIsFenced) {
    cluster_.fence(3);
    EXPECT_EQ(grow(3, {{broker_ids({3, 1})}}).first, ErrorCode::none);
    EXPECT_EQ(cluster_.partition("t", 2).in_sync_replicas, broker_ids({1}));
    EXPECT_EQ(cluster_.partition("t", 2).leader, BrokerId(1));
}

TEST_F(PartitionGrowthTest, RefusesACountThatIsNoIncrease) {
    EXPECT_EQ(grow(2), Told(ErrorCode::invalid_partitions, "Topic already has 2 partition(s)."));
    for (const int count : {1, 0, -1}) {
        EXPECT_EQ(grow(count),
                  Told(ErrorCode::invalid_partitions,
                       fmt::format("The topic t currently has 2 partition(s); {} would not be an "
                                   "increase.",
                                   count)));
    }
}

TEST_F(PartitionGrowthTest, RefusesAssignmentsThatDoNotFit) {
    const auto expect = [&](std::int32_t count, std::vector<std::vector<BrokerId>> assignments,
                            const std::string& why) {
        EXPECT_EQ(grow(count, std::move(assignments)),
                  Told(ErrorCode::invalid_replica_assignment, why));
    };
    expect(3, {},
           "Attempted to add 1 additional partition(s), but only 0 assignment(s) were "
           "specified.");
    expect(3, {broker_ids({1, 2}), broker_ids({1, 2})},
           "Attempted to add 1 additional partition(s), but only 2 assignment(s) were specified.");
    expect(3, {broker_ids({})}, "The manual partition assignment includes an empty replica list.");
    expect(3, {broker_ids({1, 7})},
           "The manual partition assignment includes broker 7, but no such broker is registered.");
    expect(3, {broker_ids({1, 1})},
           "The manual partition assignment includes the broker 1 more than once.");
    expect(3, {broker_ids({1})},
           "The manual partition assignment includes a partition with 1 replica(s), but this is "
           "not consistent with previous partitions, which have 2 replica(s).");
    cluster_.fence(1);
    cluster_.fence(2);
    expect(4, {broker_ids({3, 1}), broker_ids({1, 2})},
           "All brokers specified in the manual partition assignment for partition 3 are fenced "
           "or in controlled shutdown.");
    EXPECT_EQ(partitions(), 2U);
}

TEST_F(PartitionGrowthTest, RefusesATopicThatIsNamedTwiceAndGrowsTheOthers) {
    cluster_.create("u", {broker_ids({1})});
    const auto told = ask({.topics = {{"t", 3}, {"u", 2}, {"t", 4}, {"missing", 2}}});
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told[0].name, "t");
    EXPECT_EQ(told[0].why, "Duplicate topic name.");
    EXPECT_EQ(told[1].code, ErrorCode::none);
    EXPECT_EQ(told[2].code, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(partitions(), 2U);
    EXPECT_EQ(cluster_.image().topics->find("u")->partitions.size(), 2U);
}

TEST_F(PartitionGrowthTest, BoundsThePartitionsOfARequest) {
    cluster_.create("u", {broker_ids({1})});
    const auto check = [&](std::vector<NewPartitions> topics) {
        const auto decision = cluster_.controller().create_partitions(
            {.topics = std::move(topics), .validate_only = true});
        EXPECT_TRUE(decision.records.empty());
        return decision.reply.back().code;
    };
    EXPECT_EQ(check({{"t", 10'002}}), ErrorCode::none);
    EXPECT_EQ(check({{"t", 10'003}}), ErrorCode::policy_violation);
    EXPECT_EQ(check({{"t", INT32_MAX}, {"u", INT32_MAX}}), ErrorCode::policy_violation);
    EXPECT_EQ(check({{"t", 10'002}, {"u", 1}}), ErrorCode::invalid_partitions);
    EXPECT_EQ(check({{"missing", INT32_MAX}, {"u", 2}}), ErrorCode::none);
}

}  // namespace
}  // namespace milena::controller

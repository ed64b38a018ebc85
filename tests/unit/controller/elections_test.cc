// SPDX-License-Identifier: Apache-2.0
// ElectLeaders. The errors and their texts are those that a live Apache Kafka 4.4 gave to the same
// requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

using ::testing::IsEmpty;
using Told = std::pair<ErrorCode, std::string>;

constexpr auto kPreferred = ElectionType::preferred;
constexpr auto kUnclean = ElectionType::unclean;

class ElectionsTest : public ::testing::Test {
protected:
    ElectionsTest() {
        cluster_.add_brokers(3);
        cluster_.create("t", {broker_ids({1, 2, 3}), broker_ids({2, 3, 1})});
    }

    std::vector<ElectedTopic> ask(ElectLeadersRequest request) {
        return cluster_.commit(cluster_.controller().elect_leaders(request));
    }
    Told elect(ElectionType type, int partition, const std::string& topic = "t") {
        const auto told = ask({.type = type, .topics = {{{topic, {PartitionIndex(partition)}}}}});
        return {told.front().partitions.front().code, told.front().partitions.front().why};
    }
    /// Broker 1 was away: 2 leads partition 0, and all are in sync again.
    void lead_elsewhere() {
        cluster_.fence(1);
        cluster_.unfence(1);
        const auto all = metadata::numbers(broker_ids({1, 2, 3}));
        protocol::PartitionChangeRecord record;
        record.partition_id = 0;
        record.topic_id = cluster_.image().topics->find("t")->id;
        record.isr = all;
        cluster_.append({metadata::encode_record(record)});
        ASSERT_EQ(cluster_.partition("t").leader, BrokerId(2));
    }

    Cluster cluster_;
};

TEST_F(ElectionsTest, BringThePreferredLeaderBack) {
    lead_elsewhere();
    EXPECT_EQ(elect(kPreferred, 0), Told(ErrorCode::none, ""));
    EXPECT_EQ(cluster_.partition("t").leader, BrokerId(1));
    EXPECT_EQ(cluster_.partition("t").in_sync_replicas, broker_ids({1, 2, 3}));
    EXPECT_EQ(cluster_.partition("t").leader_epoch, LeaderEpoch(2));
}

TEST_F(ElectionsTest, AreNotNeededWhereTheLeaderIsTheRightOne) {
    const Told not_needed(ErrorCode::election_not_needed,
                          "Leader election not needed for topic partition.");
    EXPECT_EQ(elect(kPreferred, 0), not_needed);
    EXPECT_EQ(elect(kUnclean, 0), not_needed);
    lead_elsewhere();
    EXPECT_EQ(elect(kUnclean, 0), not_needed) << "somebody leads";
}

TEST_F(ElectionsTest, NameNoTopicAtGreaterLengthThanATopicMayHave) {
    EXPECT_EQ(
        elect(kPreferred, 0, std::string(32'767, 'x')),
        Told(ErrorCode::unknown_topic_or_partition, "No such topic as " + std::string(249, 'x')));
}

TEST_F(ElectionsTest, AreRefusedWhileThePreferredLeaderIsAway) {
    cluster_.fence(1);
    EXPECT_EQ(elect(kPreferred, 0), Told(ErrorCode::preferred_leader_not_available,
                                         "The preferred leader was not available."));
    cluster_.unfence(1);
    EXPECT_EQ(elect(kPreferred, 0).first, ErrorCode::preferred_leader_not_available)
        << "it is there, but not in sync yet";
}

TEST_F(ElectionsTest, MayLoseRecordsIfThatIsAskedFor) {
    cluster_.create("u", {broker_ids({1, 2})});
    cluster_.fence(2);
    cluster_.fence(1);
    ASSERT_EQ(cluster_.partition("u").leader, kNoBroker);
    EXPECT_EQ(elect(kUnclean, 0, "u"), Told(ErrorCode::eligible_leaders_not_available,
                                            "Eligible topic partition leaders are not available."));
    cluster_.unfence(2);
    ASSERT_EQ(cluster_.partition("u").leader, kNoBroker) << "2 was not in sync at the end";
    EXPECT_EQ(elect(kUnclean, 0, "u"), Told(ErrorCode::none, ""));
    EXPECT_EQ(cluster_.partition("u").leader, BrokerId(2));
    EXPECT_EQ(cluster_.partition("u").in_sync_replicas, broker_ids({2}));
    EXPECT_TRUE(cluster_.partition("u").is_recovering);
}

TEST_F(ElectionsTest, NameWhatIsNotThere) {
    EXPECT_EQ(elect(kPreferred, 5),
              Told(ErrorCode::unknown_topic_or_partition, "No such partition as t-5"));
    EXPECT_EQ(elect(kPreferred, 0, "missing"),
              Told(ErrorCode::unknown_topic_or_partition, "No such topic as missing"));
}

TEST_F(ElectionsTest, OfAllTellOnlyOfThoseThatWereNeeded) {
    lead_elsewhere();
    cluster_.create("u", {broker_ids({2})});
    const auto told = ask({.type = kPreferred});
    ASSERT_EQ(told.size(), 2U);
    for (const ElectedTopic& topic : told) {
        if (topic.topic == "u") EXPECT_THAT(topic.partitions, IsEmpty());
        if (topic.topic == "t") EXPECT_EQ(topic.partitions.size(), 1U);
    }
    EXPECT_EQ(cluster_.partition("t").leader, BrokerId(1));
}

TEST_F(ElectionsTest, OfOnePartitionHappenOnceInARequest) {
    lead_elsewhere();
    const PartitionIndex zero(0);
    const auto told = ask({.type = kPreferred, .topics = {{{"t", {zero, zero}}, {"t", {zero}}}}});
    EXPECT_EQ(told[0].partitions[0].code, ErrorCode::none);
    EXPECT_EQ(told[0].partitions[1].code, ErrorCode::election_not_needed);
    EXPECT_EQ(told[1].partitions[0].code, ErrorCode::election_not_needed);
    EXPECT_EQ(cluster_.partition("t").leader_epoch, LeaderEpoch(2));
}

}  // namespace
}  // namespace milena::controller

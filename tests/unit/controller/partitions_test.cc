// SPDX-License-Identifier: Apache-2.0
// Who leads and who is in sync when brokers come and go. The sequences with minimum 2 and with one
// replica are those that a live Apache Kafka 4.4 wrote to its metadata log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

using ::testing::IsEmpty;

class PartitionsTest : public ::testing::Test {
protected:
    PartitionsTest() { cluster_.add_brokers(3); }

    /// Topic "t", partition 0 on 1, 2, 3 with min.insync.replicas 2.
    void make_topic(std::string_view unclean = "false") {
        cluster_.create("t", {broker_ids({1, 2, 3})},
                        {{"min.insync.replicas", "2"},
                         {"unclean.leader.election.enable", std::string(unclean)}});
    }
    void expect(std::initializer_list<int> isr, int leader, std::initializer_list<int> eligible,
                std::initializer_list<int> last_known = {}) {
        EXPECT_EQ(now().in_sync_replicas, broker_ids(isr));
        EXPECT_EQ(now().leader, BrokerId(leader));
        EXPECT_EQ(now().eligible_leader_replicas, broker_ids(eligible));
        EXPECT_EQ(now().last_known_eligible_leader_replicas, broker_ids(last_known));
    }
    const metadata::PartitionRegistration& now() const { return cluster_.partition("t"); }
    /// The broker is back as another incarnation.
    void restart(int id, bool stopped_cleanly) {
        RegisterBrokerRequest request = cluster_.registration(id);
        if (stopped_cleanly)
            request.previous_epoch = cluster_.image().cluster->find_broker(BrokerId(id))->epoch;
        cluster_.now += std::chrono::seconds(9);
        ASSERT_TRUE(cluster_.register_broker(request));
    }
    /// What its leader would have made of a follower that caught up.
    void join_in_sync(std::initializer_list<int> isr) {
        const auto ids = metadata::numbers(broker_ids(isr));
        const std::vector<std::int32_t> none;
        protocol::PartitionChangeRecord record;
        record.partition_id = 0;
        record.topic_id = cluster_.image().topics->find("t")->id;
        record.isr = ids;
        record.eligible_leader_replicas = none;
        cluster_.append({metadata::encode_record(record)});
    }

    Cluster cluster_;
};

TEST_F(PartitionsTest, LoseAFollowerWithoutANewEpoch) {
    make_topic();
    cluster_.fence(3);
    expect({1, 2}, 1, {});
    EXPECT_EQ(now().leader_epoch, LeaderEpoch(0));
    EXPECT_EQ(now().partition_epoch, PartitionEpoch(1));
}

TEST_F(PartitionsTest, ElectTheFirstReplicaInSync) {
    make_topic();
    cluster_.fence(1);
    expect({2, 3}, 2, {});
    EXPECT_EQ(now().leader_epoch, LeaderEpoch(1));
}

TEST_F(PartitionsTest, KeepWhoLeavesBelowTheMinimumEligible) {
    make_topic();
    cluster_.fence(2);
    expect({1, 3}, 1, {});
    cluster_.fence(3);
    expect({1}, 1, {3});
    cluster_.fence(1);
    expect({}, -1, {3, 1}, {1});
    EXPECT_EQ(now().leader_epoch, LeaderEpoch(1));
}

TEST_F(PartitionsTest, ElectAnEligibleReplicaWhenItReturns) {
    make_topic();
    cluster_.fence(2);
    cluster_.fence(3);
    cluster_.fence(1);
    cluster_.unfence(2);
    expect({}, -1, {3, 1}, {1});  // it lacks what 1 and 3 have
    cluster_.unfence(3);
    expect({3}, 3, {1});
    EXPECT_FALSE(now().is_recovering);
    EXPECT_EQ(now().leader_epoch, LeaderEpoch(2));
    cluster_.unfence(1);
    expect({3}, 3, {1});
}

TEST_F(PartitionsTest, ElectTheOnlyReplicaAgain) {
    cluster_.create("t", {broker_ids({2})});
    cluster_.fence(2);
    expect({}, -1, {2}, {2});
    cluster_.unfence(2);
    expect({2}, 2, {});
}

TEST_F(PartitionsTest, DoNotTrustWhoStoppedUncleanly) {
    make_topic();
    cluster_.fence(2);
    cluster_.fence(3);
    cluster_.fence(1);
    restart(3, false);
    expect({}, -1, {1}, {1});
    cluster_.unfence(3);
    expect({}, -1, {1}, {1});
    restart(1, true);
    cluster_.unfence(1);
    expect({1}, 1, {});
}

TEST_F(PartitionsTest, ElectTheLastKnownLeaderAsRecoveringWhenNobodyIsEligible) {
    make_topic();
    cluster_.fence(2);
    cluster_.fence(3);
    cluster_.fence(1);
    restart(3, false);
    restart(1, false);
    expect({}, -1, {}, {1});
    cluster_.unfence(3);
    expect({}, -1, {}, {1});
    cluster_.unfence(1);
    expect({1}, 1, {});
    EXPECT_TRUE(now().is_recovering);
}

TEST_F(PartitionsTest, ElectAnybodyWhereTheTopicAllowsLoss) {
    make_topic("true");
    cluster_.fence(2);
    cluster_.fence(3);
    cluster_.fence(1);
    expect({}, -1, {3, 1}, {1});
    cluster_.unfence(2);
    expect({2}, 2, {});
    EXPECT_TRUE(now().is_recovering);
}

TEST_F(PartitionsTest, ForgetTheEligibleWhenEnoughAreInSync) {
    make_topic();
    cluster_.fence(2);
    cluster_.fence(3);
    expect({1}, 1, {3});
    cluster_.unfence(2);
    join_in_sync({1, 2});
    cluster_.fence(2);
    expect({1}, 1, {2});
}

TEST_F(PartitionsTest, CountNoMoreThanTheReplicasTowardsTheMinimum) {
    // The minimum is 2, but the only replica is enough.
    cluster_.create("t", {broker_ids({1})}, {{"min.insync.replicas", "2"}});
    expect({1}, 1, {});
    cluster_.fence(1);
    expect({}, -1, {1}, {1});
    cluster_.unfence(1);
    expect({1}, 1, {});
}

TEST(Partitions, KeepTheLastInSyncReplicaWhereNobodyIsEligible) {
    Cluster plain;
    plain.append({metadata::encode_record(
        protocol::FeatureLevelRecord{"eligible.leader.replicas.version", 0})});
    plain.add_brokers(2);
    plain.create("t", {broker_ids({1, 2})});
    plain.fence(1);
    plain.fence(2);
    EXPECT_EQ(plain.partition("t").in_sync_replicas, broker_ids({2}));
    EXPECT_EQ(plain.partition("t").leader, kNoBroker);
    EXPECT_THAT(plain.partition("t").eligible_leader_replicas, IsEmpty());
    plain.unfence(1);
    EXPECT_EQ(plain.partition("t").leader, kNoBroker) << "it is not in sync";
    plain.unfence(2);
    EXPECT_EQ(plain.partition("t").leader, BrokerId(2));
    EXPECT_EQ(plain.partition("t").leader_epoch, LeaderEpoch(3));
}

TEST(Partitions, RaiseTheEpochForAShrinkInOldClusters) {
    Cluster cluster;
    cluster.append(
        {metadata::encode_record(protocol::FeatureLevelRecord{metadata::kMetadataVersion, 11}),
         metadata::encode_record(
             protocol::FeatureLevelRecord{"eligible.leader.replicas.version", 0})});
    cluster.add_brokers(2);
    cluster.create("t", {broker_ids({1, 2})});
    cluster.fence(2);
    EXPECT_EQ(cluster.partition("t").leader, BrokerId(1));
    EXPECT_EQ(cluster.partition("t").leader_epoch, LeaderEpoch(1));
}

TEST(Partitions, ChangeBeforeABrokerIsFencedAndAfterItIsUnfenced) {
    // No image ever shows a leader that is fenced.
    Cluster cluster;
    cluster.add_brokers(2);
    cluster.create("t", {broker_ids({1, 2})});
    const auto types = [](const std::vector<RecordValue>& records) {
        std::vector<std::int16_t> result;
        for (const RecordValue& record : records)
            result.push_back(metadata::read_frame(record)->type);
        return result;
    };
    using protocol::BrokerRegistrationChangeRecord;
    using protocol::PartitionChangeRecord;
    BrokerHeartbeatRequest request = cluster.heartbeat_of(1);
    request.want_fence = true;
    auto fenced = cluster.controller().heartbeat(request, cluster.now);
    EXPECT_THAT(
        types(fenced.records),
        ::testing::ElementsAre(PartitionChangeRecord::kKey, BrokerRegistrationChangeRecord::kKey));
    cluster.append(fenced.records);
    cluster.fence(2);
    auto unfenced = cluster.controller().heartbeat(cluster.heartbeat_of(2), cluster.now);
    EXPECT_THAT(
        types(unfenced.records),
        ::testing::ElementsAre(BrokerRegistrationChangeRecord::kKey, PartitionChangeRecord::kKey));
}

}  // namespace
}  // namespace milena::controller

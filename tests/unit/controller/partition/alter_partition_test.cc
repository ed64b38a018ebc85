// SPDX-License-Identifier: Apache-2.0
// What a leader's proposal of an in-sync set comes to: each case of Kafka's codes, eligible
// replicas (KIP-966), broker epochs (KIP-903), recovery.
#include "partition/alter_partition.h"

#include <gtest/gtest.h>

#include "../cluster.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

class AlterPartitionTest : public ::testing::Test {
protected:
    AlterPartitionTest() {
        cluster_.add_brokers(4);
        cluster_.create("t", {broker_ids({1, 2, 3})}, {{"min.insync.replicas", "2"}});
    }

    const metadata::PartitionRegistration& now() const { return cluster_.partition("t"); }
    Uuid topic() const { return cluster_.image().topics->find("t")->id; }
    BrokerEpoch epoch_of(int id) const {
        return cluster_.image().cluster->find_broker(BrokerId(id))->epoch;
    }

    /// Of the partition as it is, with the brokers' epochs as they are.
    ProposedPartition proposal(std::initializer_list<int> isr) const {
        ProposedPartition proposed{.partition = PartitionIndex(0),
                                   .leader_epoch = now().leader_epoch,
                                   .partition_epoch = now().partition_epoch};
        for (const int id : isr) proposed.in_sync_replicas.push_back({BrokerId(id), epoch_of(id)});
        return proposed;
    }
    AlteredPartition propose(const ProposedPartition& proposed, int sender = 1) {
        const auto reply = cluster_.commit(cluster_.controller().alter_partition(
            {BrokerId(sender), epoch_of(sender), {{topic(), {proposed}}}}));
        EXPECT_TRUE(reply.has_value());
        return reply->front().partitions.front();
    }
    /// Nothing was written and the code is that.
    void refuse(const ProposedPartition& proposed, ErrorCode code, int sender = 1) {
        const Offset before = cluster_.next();
        EXPECT_EQ(propose(proposed, sender).code, code);
        EXPECT_EQ(cluster_.next(), before);
    }

    Cluster cluster_;
};

TEST_F(AlterPartitionTest, ShrinksAndGrows) {
    const AlteredPartition shrunk = propose(proposal({1, 2}));
    EXPECT_EQ(shrunk, (AlteredPartition{.partition = PartitionIndex(0),
                                        .leader = BrokerId(1),
                                        .leader_epoch = LeaderEpoch(0),
                                        .in_sync_replicas = broker_ids({1, 2}),
                                        .partition_epoch = PartitionEpoch(1)}));
    EXPECT_EQ(now().in_sync_replicas, broker_ids({1, 2}));
    EXPECT_EQ(now().leader_epoch, LeaderEpoch(0));
    EXPECT_EQ(now().partition_epoch, PartitionEpoch(1));
    EXPECT_EQ(propose(proposal({1, 2, 3})).partition_epoch, PartitionEpoch(2));
    EXPECT_EQ(now().in_sync_replicas, broker_ids({1, 2, 3}));
}

TEST_F(AlterPartitionTest, WritesNothingForTheSetThatIs) {
    const Offset before = cluster_.next();
    const AlteredPartition same = propose(proposal({1, 2, 3}));
    EXPECT_EQ(same.code, ErrorCode::none);
    EXPECT_EQ(same.partition_epoch, PartitionEpoch(0));
    EXPECT_EQ(cluster_.next(), before);
}

TEST_F(AlterPartitionTest, KeepsWhoLeavesBelowTheMinimumEligibleUntilEnoughAreBack) {
    propose(proposal({1}));
    EXPECT_EQ(now().eligible_leader_replicas, broker_ids({2, 3}));
    propose(proposal({1, 3}));
    EXPECT_TRUE(now().eligible_leader_replicas.empty());
}

TEST_F(AlterPartitionTest, RefusesAnotherIncarnationOfTheSender) {
    for (const BrokerEpoch epoch : {BrokerEpoch(epoch_of(1).value + 1), BrokerEpoch(-1)}) {
        const auto decision = cluster_.controller().alter_partition({BrokerId(1), epoch, {}});
        ASSERT_FALSE(decision.reply.has_value());
        EXPECT_EQ(decision.reply.error().code, ErrorCode::stale_broker_epoch);
    }
    const auto unknown = cluster_.controller().alter_partition({BrokerId(9), BrokerEpoch(1), {}});
    EXPECT_EQ(unknown.reply.error().code, ErrorCode::stale_broker_epoch);
}

TEST_F(AlterPartitionTest, RefusesWhatDoesNotExist) {
    const auto reply = cluster_.commit(cluster_.controller().alter_partition(
        {BrokerId(1), epoch_of(1), {{Uuid{7, 7}, {proposal({1})}}, {Uuid{}, {proposal({1})}}}}));
    EXPECT_EQ(reply->at(0).partitions.at(0).code, ErrorCode::unknown_topic_id);
    EXPECT_EQ(reply->at(1).partitions.at(0).code, ErrorCode::unknown_topic_id);
    ProposedPartition proposed = proposal({1});
    proposed.partition = PartitionIndex(1);
    refuse(proposed, ErrorCode::unknown_topic_or_partition);
}

TEST_F(AlterPartitionTest, IsNotTheControllerOfWhoKnowsMore) {
    ProposedPartition proposed = proposal({1, 2});
    proposed.leader_epoch = LeaderEpoch(now().leader_epoch.value + 1);
    refuse(proposed, ErrorCode::not_controller);
    proposed = proposal({1, 2});
    proposed.partition_epoch = PartitionEpoch(now().partition_epoch.value + 1);
    refuse(proposed, ErrorCode::not_controller);
}

TEST_F(AlterPartitionTest, FencesAnOldLeader) {
    const ProposedPartition old = proposal({1, 2});
    cluster_.fence(1);
    cluster_.unfence(1);
    ASSERT_EQ(now().leader, BrokerId(2));
    refuse(old, ErrorCode::fenced_leader_epoch);
    refuse(proposal({2, 3}), ErrorCode::invalid_request, 1);  // of this epoch, but no leader
}

TEST_F(AlterPartitionTest, RefusesWhatWasMadeOfAnOlderState) {
    const ProposedPartition old = proposal({1, 2});
    propose(proposal({1, 3}));
    refuse(old, ErrorCode::invalid_update_version);
}

TEST_F(AlterPartitionTest, RefusesTheSecondProposalOfOneRequest) {
    const auto reply = cluster_.commit(cluster_.controller().alter_partition(
        {BrokerId(1), epoch_of(1), {{topic(), {proposal({1, 2}), proposal({1, 3})}}}}));
    EXPECT_EQ(reply->at(0).partitions.at(0).code, ErrorCode::none);
    EXPECT_EQ(reply->at(0).partitions.at(1).code, ErrorCode::invalid_update_version);
    EXPECT_EQ(now().in_sync_replicas, broker_ids({1, 2}));
}

TEST_F(AlterPartitionTest, RefusesASetThatIsNone) {
    refuse(proposal({}), ErrorCode::invalid_request);
    refuse(proposal({1, 1}), ErrorCode::invalid_request);
    refuse(proposal({1, 4}), ErrorCode::invalid_request);  // 4 has no replica
    refuse(proposal({2, 3}), ErrorCode::invalid_request);  // without the leader
}

TEST_F(AlterPartitionTest, RefusesReplicasThatMayNotBeInSync) {
    ProposedPartition proposed = proposal({1, 2, 3});
    proposed.in_sync_replicas[2].broker_epoch = BrokerEpoch(epoch_of(3).value - 1);
    refuse(proposed, ErrorCode::ineligible_replica);
    proposed.in_sync_replicas[2].broker_epoch = BrokerEpoch(-1);  // is not looked at
    EXPECT_EQ(propose(proposed).code, ErrorCode::none);

    cluster_.fence(3);
    refuse(proposal({1, 2, 3}), ErrorCode::ineligible_replica);
    cluster_.unfence(3);
    cluster_.create("u", {broker_ids({3})});  // so that it must stay for a while
    BrokerHeartbeatRequest leaving = cluster_.heartbeat_of(3);
    leaving.want_shutdown = true;
    ASSERT_TRUE(cluster_.heartbeat(leaving));
    ASSERT_TRUE(cluster_.image().cluster->find_broker(BrokerId(3))->in_controlled_shutdown);
    refuse(proposal({1, 2, 3}), ErrorCode::ineligible_replica);
}

TEST_F(AlterPartitionTest, EndsARecovery) {
    ProposedPartition never = proposal({1});
    never.leader_recovery_state = 1;
    refuse(never, ErrorCode::invalid_request);  // it has not begun
    never.leader_recovery_state = 2;
    refuse(never, ErrorCode::invalid_request);

    protocol::PartitionChangeRecord record;
    const std::vector<std::int32_t> isr{1};
    record.topic_id = topic();
    record.partition_id = 0;
    record.isr = isr;
    record.leader_recovery_state = 1;
    cluster_.append({metadata::encode_record(record)});
    ASSERT_TRUE(now().is_recovering);
    ProposedPartition recovering = proposal({1, 2});
    recovering.leader_recovery_state = 1;
    refuse(recovering, ErrorCode::invalid_request);  // nobody is in sync with who recovers
    recovering = proposal({1});
    recovering.leader_recovery_state = 1;
    EXPECT_TRUE(propose(recovering).is_recovering);
    EXPECT_FALSE(propose(proposal({1, 2})).is_recovering);
    EXPECT_FALSE(now().is_recovering);
}

TEST_F(AlterPartitionTest, CompletesAMoveAndNamesTheNewLeader) {
    ASSERT_TRUE(cluster_.commit(cluster_.controller().alter_reassignments(
        {{{"t", {{PartitionIndex(0), broker_ids({4, 2, 3})}}}}})));
    ASSERT_EQ(now().replicas, broker_ids({4, 2, 3, 1}));
    ASSERT_EQ(now().leader, BrokerId(1));
    const LeaderEpoch before = now().leader_epoch;
    EXPECT_EQ(propose(proposal({1, 2, 3, 4})).code, ErrorCode::new_leader_elected);
    EXPECT_EQ(now().replicas, broker_ids({4, 2, 3}));
    EXPECT_EQ(now().in_sync_replicas, broker_ids({2, 3, 4}));
    EXPECT_EQ(now().leader, BrokerId(4));
    EXPECT_EQ(now().leader_epoch, LeaderEpoch(before.value + 1));
    EXPECT_TRUE(now().adding_replicas.empty());
    EXPECT_TRUE(now().removing_replicas.empty());
    EXPECT_EQ(now().directories.size(), 3U);
}

}  // namespace
}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// Moves of replicas: begun, changed on their way, ended, and completed by the in-sync set.
#include "partition/reassignments.h"

#include <gtest/gtest.h>

#include "../cluster.h"

namespace milena::controller {
namespace {

class ReassignmentsTest : public ::testing::Test {
protected:
    ReassignmentsTest() {
        cluster_.add_brokers(5);
        cluster_.create("t", {broker_ids({1, 2, 3})}, {{"min.insync.replicas", "2"}});
    }

    const metadata::PartitionRegistration& now() const { return cluster_.partition("t"); }

    ReassignedPartition reassign(std::optional<std::vector<BrokerId>> replicas,
                                 bool may_change_factor = true) {
        const auto reply = cluster_.commit(cluster_.controller().alter_reassignments(
            {{{"t", {{PartitionIndex(0), std::move(replicas)}}}}, may_change_factor}));
        EXPECT_TRUE(reply.has_value());
        return reply->front().partitions.front();
    }
    void expect(std::initializer_list<int> replicas, std::initializer_list<int> adding,
                std::initializer_list<int> removing) {
        EXPECT_EQ(now().replicas, broker_ids(replicas));
        EXPECT_EQ(now().adding_replicas, broker_ids(adding));
        EXPECT_EQ(now().removing_replicas, broker_ids(removing));
        EXPECT_EQ(now().directories.size(), now().replicas.size());
    }
    ErrorCode propose(std::initializer_list<int> isr) {
        const auto& topic = cluster_.image().topics->find("t");
        ProposedPartition proposed{.partition = PartitionIndex(0),
                                   .leader_epoch = now().leader_epoch,
                                   .partition_epoch = now().partition_epoch};
        for (const int id : isr) proposed.in_sync_replicas.push_back({BrokerId(id)});
        const BrokerId leader = now().leader;
        const auto epoch = cluster_.image().cluster->find_broker(leader)->epoch;
        const auto reply = cluster_.commit(
            cluster_.controller().alter_partition({leader, epoch, {{topic->id, {proposed}}}}));
        return reply->front().partitions.front().code;
    }

    Cluster cluster_;
};

TEST_F(ReassignmentsTest, BeginWithOldAndNewReplicas) {
    EXPECT_EQ(reassign(broker_ids({1, 4, 5})).code, ErrorCode::none);
    expect({1, 4, 5, 2, 3}, {4, 5}, {2, 3});
    EXPECT_EQ(now().leader, BrokerId(1));
    EXPECT_EQ(now().in_sync_replicas, broker_ids({1, 2, 3}));
    EXPECT_EQ(now().leader_epoch, LeaderEpoch(0));
    EXPECT_EQ(now().partition_epoch, PartitionEpoch(1));
}

TEST_F(ReassignmentsTest, EndWhenAllThatComeAreInSync) {
    reassign(broker_ids({1, 4, 5}));
    EXPECT_EQ(propose({1, 2, 3, 4}), ErrorCode::none);
    expect({1, 4, 5, 2, 3}, {4, 5}, {2, 3});
    EXPECT_EQ(propose({1, 2, 3, 4, 5}), ErrorCode::none);
    expect({1, 4, 5}, {}, {});
    EXPECT_EQ(now().in_sync_replicas, broker_ids({1, 4, 5}));
    EXPECT_EQ(now().leader, BrokerId(1));
    EXPECT_EQ(now().leader_epoch, LeaderEpoch(1)) << "replicas that go must hear that they do";
}

TEST_F(ReassignmentsTest, EndAtOnceWhereNothingHasToCome) {
    EXPECT_EQ(reassign(broker_ids({2, 3})).code, ErrorCode::none);
    expect({2, 3}, {}, {});
    EXPECT_EQ(now().leader, BrokerId(2));
    EXPECT_EQ(reassign(broker_ids({3, 2})).code, ErrorCode::none);  // only the order
    expect({3, 2}, {}, {});
    EXPECT_EQ(now().leader, BrokerId(2));
}

TEST_F(ReassignmentsTest, WaitForThoseThatStayWhereFewerComeThanGo) {
    // 2 and 3 are not in sync: taking 1 away would leave nobody of those that stay but 4.
    propose({1});
    EXPECT_EQ(reassign(broker_ids({2, 3})).code, ErrorCode::none);
    expect({2, 3, 1}, {}, {1});
    EXPECT_EQ(propose({1, 2}), ErrorCode::none);
    expect({2, 3, 1}, {}, {1});
    EXPECT_EQ(propose({1, 2, 3}), ErrorCode::new_leader_elected);
    expect({2, 3}, {}, {});
}

TEST_F(ReassignmentsTest, AreEndedOnTheirWay) {
    EXPECT_EQ(reassign(std::nullopt).code, ErrorCode::no_reassignment_in_progress);
    reassign(broker_ids({4, 2, 3}));
    EXPECT_EQ(reassign(std::nullopt).code, ErrorCode::none);
    expect({2, 3, 1}, {}, {});
    EXPECT_EQ(now().in_sync_replicas, broker_ids({1, 2, 3}));
    EXPECT_EQ(now().leader, BrokerId(1));
}

TEST_F(ReassignmentsTest, AreChangedOnTheirWay) {
    reassign(broker_ids({1, 2, 4}));
    expect({1, 2, 4, 3}, {4}, {3});
    reassign(broker_ids({1, 2, 5}));
    expect({1, 2, 5, 3, 4}, {5}, {3, 4});
    reassign(broker_ids({1, 2, 3}));  // back: nothing has to come, so it is over at once
    expect({1, 2, 3}, {}, {});
    reassign(broker_ids({1, 2, 4}));
    reassign(broker_ids({1, 2, 4}));  // the same again changes nothing
    expect({1, 2, 4, 3}, {4}, {3});
}

TEST_F(ReassignmentsTest, AreNotEndedWhereOnlyNewReplicasAreInSync) {
    reassign(broker_ids({1, 4}));
    EXPECT_EQ(propose({1, 4}), ErrorCode::none);  // completes: 4 is there
    expect({1, 4}, {}, {});
    reassign(broker_ids({5, 3}));
    expect({5, 3, 1, 4}, {3, 5}, {1, 4});
    EXPECT_EQ(propose({1, 5}), ErrorCode::none);
    cluster_.fence(4);
    cluster_.fence(1);
    ASSERT_EQ(now().leader, BrokerId(5));
    EXPECT_EQ(reassign(std::nullopt).code, ErrorCode::invalid_replica_assignment);
    expect({5, 3, 1, 4}, {3, 5}, {1, 4});
}

TEST_F(ReassignmentsTest, RefuseWhatIsNoAssignment) {
    EXPECT_EQ(reassign(broker_ids({})).code, ErrorCode::invalid_replica_assignment);
    EXPECT_EQ(reassign(broker_ids({1, 1})).code, ErrorCode::invalid_replica_assignment);
    EXPECT_EQ(reassign(broker_ids({1, 9})).code, ErrorCode::invalid_replica_assignment);
    EXPECT_EQ(reassign(broker_ids({1, 2}), false).code, ErrorCode::invalid_replication_factor);
    EXPECT_EQ(reassign(broker_ids({1, 2, 4}), false).code, ErrorCode::none);
    // While it moves it counts as having as many as it will have.
    EXPECT_EQ(reassign(broker_ids({1, 2, 4, 5}), false).code,
              ErrorCode::invalid_replication_factor);
    const auto reply = cluster_.commit(cluster_.controller().alter_reassignments(
        {{{"u", {{PartitionIndex(0), broker_ids({1})}}},
          {"t", {{PartitionIndex(1), broker_ids({1})}}}}}));
    EXPECT_EQ(reply->at(0).partitions.at(0).code, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(reply->at(1).partitions.at(0).code, ErrorCode::unknown_topic_or_partition);
}

TEST_F(ReassignmentsTest, RefuseBrokersThatTakeNoReplicas) {
    BrokerHeartbeatRequest request = cluster_.heartbeat_of(4);
    request.cordoned_log_directories = {{{1, 1004}}};
    ASSERT_TRUE(cluster_.heartbeat(request));
    EXPECT_EQ(reassign(broker_ids({1, 2, 4})).why,
              "The manual partition assignment includes broker 4, but all its log directories are "
              "cordoned.");
}

}  // namespace
}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// Where replicas lie, as their brokers say.
#include "partition/replica_directories.h"

#include <gtest/gtest.h>

#include "../cluster.h"

namespace milena::controller {
namespace {

class ReplicaDirectoriesTest : public ::testing::Test {
protected:
    static constexpr Uuid kFirst{1, 1001};
    static constexpr Uuid kSecond{1, 500};

    ReplicaDirectoriesTest() {
        RegisterBrokerRequest request = cluster_.registration(1);
        request.log_directories = {kFirst, kSecond};
        EXPECT_TRUE(cluster_.register_broker(request));
        EXPECT_TRUE(cluster_.heartbeat(cluster_.heartbeat_of(1)));
        cluster_.add_broker(2);
        cluster_.add_broker(3);
        cluster_.create("t", {broker_ids({1, 2}), broker_ids({2, 3})});
    }

    const metadata::PartitionRegistration& now() const { return cluster_.partition("t"); }
    Uuid topic() const { return cluster_.image().topics->find("t")->id; }
    AssignReplicasRequest request(std::vector<DirectoryReplicas> directories) const {
        return {BrokerId(1), cluster_.image().cluster->find_broker(BrokerId(1))->epoch,
                std::move(directories)};
    }
    std::vector<ErrorCode> assign(std::vector<DirectoryReplicas> directories) {
        const auto reply =
            cluster_.commit(cluster_.controller().assign_replicas(request(std::move(directories))));
        EXPECT_TRUE(reply.has_value());
        std::vector<ErrorCode> codes;
        for (const AssignedReplica& one : *reply) codes.push_back(one.code);
        return codes;
    }
    static std::vector<ErrorCode> codes(std::initializer_list<ErrorCode> all) { return all; }

    Cluster cluster_;
};

TEST_F(ReplicaDirectoriesTest, AreWritten) {
    ASSERT_EQ(now().directories[0], (Uuid{0, 1})) << "of two directories nobody knows which";
    EXPECT_EQ(assign({{kSecond, {{topic(), {PartitionIndex(0)}}}}}), codes({ErrorCode::none}));
    EXPECT_EQ(now().directories[0], kSecond);
    EXPECT_EQ(now().directories[1], (Uuid{1, 1002}));
    EXPECT_EQ(now().leader, BrokerId(1));
    EXPECT_EQ(now().leader_epoch, LeaderEpoch(0));
    EXPECT_EQ(now().partition_epoch, PartitionEpoch(1));
    const Offset before = cluster_.next();
    assign({{kSecond, {{topic(), {PartitionIndex(0)}}}}});
    EXPECT_EQ(cluster_.next(), before) << "the same again is no change";
}

TEST_F(ReplicaDirectoriesTest, AreWhereTheyWereNamedLast) {
    assign(
        {{kFirst, {{topic(), {PartitionIndex(0)}}}}, {kSecond, {{topic(), {PartitionIndex(0)}}}}});
    EXPECT_EQ(now().directories[0], kSecond);
    EXPECT_EQ(now().partition_epoch, PartitionEpoch(1));
}

TEST_F(ReplicaDirectoriesTest, ThatAreNotOnlineDoNotLead) {
    EXPECT_EQ(assign({{Uuid{9, 9}, {{topic(), {PartitionIndex(0)}}}}}), codes({ErrorCode::none}));
    EXPECT_EQ(now().directories[0], (Uuid{9, 9}));
    EXPECT_EQ(now().leader, BrokerId(2));
    EXPECT_EQ(now().in_sync_replicas, broker_ids({2}));
}

TEST_F(ReplicaDirectoriesTest, AreRefusedOneByOne) {
    EXPECT_EQ(assign({{kFirst,
                       {{Uuid{7, 7}, {PartitionIndex(0)}},
                        {topic(), {PartitionIndex(5), PartitionIndex(1), PartitionIndex(0)}}}}}),
              codes({ErrorCode::unknown_topic_id, ErrorCode::unknown_topic_or_partition,
                     ErrorCode::not_leader_or_follower, ErrorCode::none}));
    EXPECT_EQ(now().directories[0], kFirst);
}

TEST_F(ReplicaDirectoriesTest, AreRefusedOfAnotherIncarnation) {
    AssignReplicasRequest old = request({});
    --old.epoch.value;
    const auto decision = cluster_.controller().assign_replicas(old);
    EXPECT_EQ(decision.reply.error().code, ErrorCode::stale_broker_epoch);
}

}  // namespace
}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// Leadership that returns to the preferred replicas, and unclean elections that come by themselves.
#include "partition/leader_balance.h"

#include <gtest/gtest.h>

#include "../cluster.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

using namespace std::chrono_literals;

class LeaderBalanceTest : public ::testing::Test {
protected:
    static Options options() {
        Options options = Cluster::default_options();
        options.idle_interval_ms = 0;
        options.session_timeout_ms = 1'000'000'000;
        return options;
    }
    LeaderBalanceTest() { cluster_.add_brokers(3); }

    void make_topic() {
        cluster_.create("t", {broker_ids({1, 2}), broker_ids({2, 1})},
                        {{"min.insync.replicas", "1"}});
    }
    /// What a leader does when the follower has caught up.
    void join_in_sync(int index) {
        const auto& now = cluster_.partition("t", index);
        ProposedPartition proposed{.partition = PartitionIndex(index),
                                   .leader_epoch = now.leader_epoch,
                                   .partition_epoch = now.partition_epoch};
        for (const BrokerId id : now.replicas) proposed.in_sync_replicas.push_back({id});
        const auto epoch = cluster_.image().cluster->find_broker(now.leader)->epoch;
        cluster_.commit(cluster_.controller().alter_partition(
            {now.leader, epoch, {{cluster_.image().topics->find("t")->id, {proposed}}}}));
    }
    void run_until_idle() {
        while (cluster_.controller().deadline() <= cluster_.now)
            cluster_.append(cluster_.controller().tick(cluster_.now));
    }
    void allow_loss(const std::string& topic) {
        AlterConfigsRequest request;
        request.resources.push_back(
            {{metadata::ResourceType::topic, topic},
             {{"unclean.leader.election.enable", ConfigOperation::set, "true"}}});
        cluster_.commit(cluster_.controller().alter_configs(request));
    }
    /// Nobody that is in sync is there, and 2 is back.
    void lose_leader() {
        make_topic();
        cluster_.fence(2);
        cluster_.fence(1);
        cluster_.unfence(2);
        ASSERT_EQ(cluster_.partition("t").leader, kNoBroker);
    }

    Cluster cluster_{options()};
};

TEST_F(LeaderBalanceTest, ComesAfterTheInterval) {
    make_topic();
    cluster_.fence(1);
    cluster_.unfence(1);
    ASSERT_EQ(cluster_.partition("t").leader, BrokerId(2));
    EXPECT_EQ(cluster_.controller().deadline(), env::Instant{} + 300s);
    cluster_.now += 300s;
    run_until_idle();
    EXPECT_EQ(cluster_.partition("t").leader, BrokerId(2)) << "1 is not in sync";
    join_in_sync(0);
    cluster_.now += 300s;
    run_until_idle();
    EXPECT_EQ(cluster_.partition("t").leader, BrokerId(1));
    EXPECT_EQ(cluster_.partition("t").leader_epoch, LeaderEpoch(2));
    EXPECT_EQ(cluster_.controller().deadline(), env::Instant{} + 1'000'000s)
        << "with everything in its place nothing is due but the ends of sessions";
}

TEST_F(LeaderBalanceTest, IsOffWithoutAnInterval) {
    Options off = options();
    off.balance_interval_ms = 0;
    Cluster cluster(off);
    cluster.add_brokers(2);
    cluster.create("t", {broker_ids({1, 2})});
    cluster.fence(1);
    cluster.unfence(1);
    EXPECT_GT(cluster.controller().deadline(), env::Instant{} + 1000s);
}

TEST_F(LeaderBalanceTest, GoesOnAtOnceWhereThereIsMoreThanOneRound) {
    const int partitions = static_cast<int>(kElectionsMax) + 500;
    NewTopic topic{.name = "big"};
    for (int index = 0; index < partitions; ++index)
        topic.assignments.push_back({PartitionIndex(index), broker_ids({1, 2})});
    ASSERT_EQ(cluster_.create(topic).code, ErrorCode::none);
    // Somebody moved them all to 2.
    std::vector<RecordValue> records;
    for (int index = 0; index < partitions; ++index) {
        protocol::PartitionChangeRecord record;
        record.topic_id = cluster_.image().topics->find("big")->id;
        record.partition_id = index;
        record.leader = 2;
        records.push_back(metadata::encode_record(record));
    }
    cluster_.append(records);
    cluster_.now += 300s;
    EXPECT_EQ(cluster_.controller().tick(cluster_.now).size(), kElectionsMax);
    EXPECT_LE(cluster_.controller().deadline(), cluster_.now);
    run_until_idle();
    EXPECT_EQ(cluster_.partition("big", partitions - 1).leader, BrokerId(1));
}

TEST_F(LeaderBalanceTest, ElectsUncleanlyAtOnceWhenTheTopicComesToAllowIt) {
    lose_leader();
    run_until_idle();
    ASSERT_EQ(cluster_.partition("t").leader, kNoBroker);
    allow_loss("other");  // there is no such topic: nothing changes
    EXPECT_GT(cluster_.controller().deadline(), cluster_.now);
    allow_loss("t");
    EXPECT_LE(cluster_.controller().deadline(), cluster_.now);
    run_until_idle();
    EXPECT_EQ(cluster_.partition("t").leader, BrokerId(2));
    EXPECT_TRUE(cluster_.partition("t").is_recovering);
    EXPECT_EQ(cluster_.partition("t").in_sync_replicas, broker_ids({2}));
}

TEST_F(LeaderBalanceTest, LooksForUncleanElectionsAgainAfterTheInterval) {
    lose_leader();
    EXPECT_EQ(cluster_.controller().deadline(), env::Instant{} + 300s);
    cluster_.now += 300s;
    run_until_idle();
    EXPECT_EQ(cluster_.partition("t").leader, kNoBroker) << "nobody has allowed it";
    EXPECT_GT(cluster_.controller().deadline(), cluster_.now);
}

TEST_F(LeaderBalanceTest, NeverElectsUncleanlyForTheSakeOfThePreferredLeader) {
    lose_leader();
    ElectLeadersRequest request{.type = ElectionType::preferred};
    request.topics = {{"t", {PartitionIndex(0)}}};
    const auto reply = cluster_.commit(cluster_.controller().elect_leaders(request));
    EXPECT_EQ(reply.front().partitions.front().code, ErrorCode::preferred_leader_not_available);
    EXPECT_EQ(cluster_.partition("t").leader, kNoBroker);
}

}  // namespace
}  // namespace milena::controller

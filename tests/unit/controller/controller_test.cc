// SPDX-License-Identifier: Apache-2.0
// The controller as a whole: idle records, and what a lost leadership leaves behind.
#include <gtest/gtest.h>

#include "cluster.h"
#include "milena/protocol/records/metadata.h"
#include "support/allocations.h"

namespace milena::controller {
namespace {

using namespace std::chrono_literals;

TEST(Controller, WritesAnIdleRecordWhenNothingElseWasWritten) {
    Cluster cluster;
    EXPECT_EQ(cluster.controller().deadline(), cluster.now + 500ms);
    cluster.now += 499ms;
    EXPECT_TRUE(cluster.controller().tick(cluster.now).empty());
    cluster.now += 1ms;
    const auto records = cluster.controller().tick(cluster.now);
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(metadata::read_frame(records.front())->type, protocol::NoOpRecord::kKey);
    cluster.append(records);
    EXPECT_EQ(cluster.controller().deadline(), cluster.now + 500ms);
}

TEST(Controller, WritesNoIdleRecordsWhereTheyAreOff) {
    Options options = Cluster::default_options();
    options.idle_interval_ms = 0;
    Cluster cluster(options);
    EXPECT_EQ(cluster.controller().deadline(), env::kNever);
    cluster.now += 1h;
    EXPECT_TRUE(cluster.controller().tick(cluster.now).empty());
}

TEST(Controller, ForgetsWhatWasNotCommittedWhenItBeginsAgain) {
    Cluster cluster;
    cluster.add_brokers(1);
    const auto committed = cluster.controller().image();
    cluster.create({.name = "lost", .partition_count = 1, .replication_factor = 1});
    ASSERT_NE(cluster.image().topics->find("lost"), nullptr);

    cluster.controller().resign();
    EXPECT_FALSE(cluster.controller().is_active());
    const auto records = cluster.controller().activate(
        {.committed = committed, .in_transaction = false, .bootstrap = {}, .now = cluster.now});
    EXPECT_TRUE(records.empty());
    EXPECT_EQ(cluster.image().topics->find("lost"), nullptr);
    EXPECT_TRUE(cluster.image().cluster->is_active(BrokerId(1)));
}

TEST(Controller, ReportsRecordsThatDoNotFit) {
    Cluster cluster;
    const std::vector<RecordValue> records{
        metadata::encode_record(protocol::RemoveTopicRecord{{5, 5}})};
    EXPECT_FALSE(cluster.controller().apply(records, cluster.next(), LeaderEpoch(1), cluster.now));
}

/// What is done to one broker of a cluster with so many partitions that the broker has no part in.
/// It leads ten of its own.
struct Costs {
    explicit Costs(int topics_besides) {
        cluster.add_brokers(4);
        cluster.create("mine", std::vector(10, broker_ids({4, 1, 2})));
        for (int i = 0; i < topics_besides; ++i)
            cluster.create("t" + std::to_string(i), std::vector(50, broker_ids({1, 2, 3})));
        const auto beat = cluster.heartbeat_of(4);
        auto fence = beat;
        fence.want_fence = true;
        using support::Allocations;
        heartbeat = Allocations::of([&] {
            EXPECT_TRUE(cluster.controller().heartbeat(beat, cluster.now).records.empty());
        });
        deadline = Allocations::of([&] { (void)cluster.controller().deadline(); });
        Records records;
        decision = Allocations::of(
            [&] { records = cluster.controller().heartbeat(fence, cluster.now).records; });
        EXPECT_EQ(records.size(), 11U);
        change = Allocations::of([&] {
            EXPECT_TRUE(
                cluster.controller().apply(records, cluster.next(), LeaderEpoch(1), cluster.now));
        });
    }

    Cluster cluster;
    std::size_t heartbeat = 0;
    std::size_t deadline = 0;
    std::size_t decision = 0;
    std::size_t change = 0;
};

TEST(Controller, PaysForABrokerNothingThatGrowsWithThePartitionsOfOthers) {
    if (!support::Allocations::can_be_counted()) GTEST_SKIP() << "nobody counts allocations";
    const Costs few(1);
    const Costs many(100);
    EXPECT_EQ(many.heartbeat, few.heartbeat);
    EXPECT_LE(many.heartbeat, 4U);
    EXPECT_EQ(many.deadline, 0U);
    EXPECT_EQ(many.decision, few.decision);
    // A shard of the map of topics is copied, which may be fuller.
    EXPECT_LE(many.change, few.change + 20);
}

}  // namespace
}  // namespace milena::controller

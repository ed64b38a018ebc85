// SPDX-License-Identifier: Apache-2.0
// The controller as a whole: idle records, and what a lost leadership leaves behind.
#include <gtest/gtest.h>

#include "cluster.h"
#include "milena/protocol/records/metadata.h"

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

}  // namespace
}  // namespace milena::controller

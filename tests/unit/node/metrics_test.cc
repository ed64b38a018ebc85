// SPDX-License-Identifier: Apache-2.0
// Counts of an image that is put together by hand.
#include "metrics.h"

#include <gtest/gtest.h>

namespace milena::node {
namespace {

using metadata::PartitionRegistration;

PartitionRegistration led_by(BrokerId leader) {
    PartitionRegistration partition;
    partition.replicas = {BrokerId(1), BrokerId(2)};
    partition.leader = leader;
    return partition;
}

/// One topic whose partitions are led by the preferred replica, by the other, and by nobody.
metadata::Image image_with_three_partitions() {
    auto topic = std::make_shared<metadata::TopicImage>();
    topic->name = "t";
    topic->id = Uuid{1, 2};
    using Partitions = decltype(topic->partitions);
    Partitions::Editor partitions(topic->partitions);
    partitions.set(PartitionIndex(0), led_by(BrokerId(1)));
    partitions.set(PartitionIndex(1), led_by(BrokerId(2)));
    partitions.set(PartitionIndex(2), led_by(kNoBroker));
    topic->partitions = std::move(partitions).finish();
    auto topics = std::make_shared<metadata::TopicsImage>();
    using ById = decltype(topics->by_id);
    ById::Editor by_id(topics->by_id);
    by_id.set(topic->id, topic);
    topics->by_id = std::move(by_id).finish();
    metadata::Image image = *metadata::Image::empty();
    image.topics = topics;
    auto features = std::make_shared<metadata::FeaturesImage>();
    features->levels["eligible.leader.replicas.version"] = 1;
    image.features = features;
    return image;
}

bool has_line(const telemetry::Page& page, std::string_view line) {
    return page.text().find(fmt::format("\n{}\n", line)) != std::string::npos;
}

TEST(NodeMetrics, CountsPartitionsByWhoLeadsThem) {
    telemetry::Page page;
    write_image(page, image_with_three_partitions());
    EXPECT_TRUE(has_line(page, "kafka_controller_kafkacontroller_globaltopiccount 1"));
    EXPECT_TRUE(has_line(page, "kafka_controller_kafkacontroller_globalpartitioncount 3"));
    EXPECT_TRUE(has_line(page, "kafka_controller_kafkacontroller_offlinepartitionscount 1"));
    EXPECT_TRUE(
        has_line(page, "kafka_controller_kafkacontroller_preferredreplicaimbalancecount 2"));
}

TEST(NodeMetrics, NamesFeaturesAsKafkaDoes) {
    telemetry::Page page;
    write_image(page, image_with_three_partitions());
    EXPECT_TRUE(has_line(page,
                         "kafka_server_metadataloader_finalizedlevel{featureName="
                         "\"eligibleLeaderReplicasVersion\"} 1"));
}

TEST(NodeMetrics, SaysWhatTheNodeIsInTheQuorum) {
    drivers::QuorumStatus status;
    status.figures.role = raft::Role::follower;
    status.figures.commit_latency_max_ms = 7;
    telemetry::Page page;
    write_quorum(page, status, false);
    EXPECT_TRUE(has_line(page, "kafka_server_raft_metrics_current_state{state=\"observer\"} 1"));
    EXPECT_TRUE(has_line(page, "kafka_server_raft_metrics_commit_latency_max 7"));
    EXPECT_EQ(page.text().find("commit_latency_avg"), std::string::npos) << "there was none";
    EXPECT_EQ(page.text().find("number_of_observers"), std::string::npos) << "the leader knows";
    status.figures.is_voter = true;
    status.figures.role = raft::Role::unattached;
    status.figures.vote = BrokerId(2);
    status.figures.observers = 3;
    telemetry::Page voted;
    write_quorum(voted, status, false);
    EXPECT_TRUE(
        has_line(voted, "kafka_server_raft_metrics_current_state{state=\"unattached-voted\"} 1"));
    EXPECT_TRUE(has_line(voted, "kafka_server_raft_metrics_number_of_observers 3"));
}

TEST(NodeMetrics, AnUnknownHighWatermarkIsMinusOne) {
    telemetry::Page page;
    drivers::QuorumStatus status;
    status.leader = BrokerId(3);
    write_quorum(page, status, true);
    EXPECT_TRUE(has_line(page, "kafka_server_raft_metrics_high_watermark -1"));
    EXPECT_TRUE(has_line(page, "kafka_server_raft_metrics_current_leader 3"));
    EXPECT_TRUE(has_line(page, "kafka_controller_kafkacontroller_activecontrollercount 1"));
}

}  // namespace
}  // namespace milena::node

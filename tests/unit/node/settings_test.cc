// SPDX-License-Identifier: Apache-2.0
// A partition's settings out of images that hold nothing but configuration: every layer by itself.
#include "settings.h"

#include <gtest/gtest.h>

#include "milena/metadata/delta.h"
#include "milena/metadata/records.h"
#include "milena/protocol/records/metadata.h"

namespace milena::node {
namespace {

using metadata::ResourceType;

class SettingsTest : public ::testing::Test {
protected:
    SettingsTest() : image(metadata::Image::empty()) {
        const auto loaded = config::parse_broker_config(
            "server.properties",
            "process.roles=broker,controller\nnode.id=1\ncontroller.listener.names=C\n"
            "listeners=PLAINTEXT://:9092,C://:9093\n"
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,C:PLAINTEXT\n"
            "controller.quorum.bootstrap.servers=localhost:9093\nmessage.max.bytes=1000\n",
            "localhost");
        EXPECT_TRUE(loaded.has_value()) << loaded.error().why;
        of = settings_of(loaded->config);
        delete_retention = delete_retention_of(loaded->config);
    }

    void set(ResourceType type, std::string_view name, std::string_view key,
             protocol::NullableString value) {
        protocol::ConfigRecord record;
        record.resource_type = static_cast<std::int8_t>(type);
        record.resource_name = name;
        record.name = key;
        record.value = value;
        metadata::Delta delta(image);
        ASSERT_TRUE(delta.apply(metadata::encode_record(record)));
        image = std::move(delta).finish({});
    }
    std::size_t largest_batch() { return of(*image, "t").rules.batch_bytes_max; }

    std::shared_ptr<const metadata::Image> image;
    replication::Replicas::SettingsOf of;
    std::function<std::int64_t(const metadata::Image&, std::string_view)> delete_retention;
};

TEST_F(SettingsTest, ATopicHasTheMostSpecificLayersValue) {
    EXPECT_EQ(largest_batch(), 1000U);
    set(ResourceType::broker, "", "message.max.bytes", "2000");
    EXPECT_EQ(largest_batch(), 2000U);
    set(ResourceType::broker, "1", "message.max.bytes", "3000");
    EXPECT_EQ(largest_batch(), 3000U);
    set(ResourceType::broker, "2", "message.max.bytes", "4000");
    EXPECT_EQ(largest_batch(), 3000U);
    set(ResourceType::topic, "t", "max.message.bytes", "5000");
    EXPECT_EQ(largest_batch(), 5000U);
}

TEST_F(SettingsTest, HowLongTombstonesStayHasTheSameLayers) {
    constexpr std::int64_t kDay = 24 * 3600 * 1000;
    EXPECT_EQ(delete_retention(*image, "t"), kDay);
    set(ResourceType::broker, "", "log.cleaner.delete.retention.ms", "2000");
    EXPECT_EQ(delete_retention(*image, "t"), 2000);
    set(ResourceType::topic, "t", "delete.retention.ms", "3000");
    EXPECT_EQ(delete_retention(*image, "t"), 3000);
    EXPECT_EQ(delete_retention(*image, "other"), 2000);
}

TEST_F(SettingsTest, WhatIsRemovedIsAsBefore) {
    set(ResourceType::broker, "1", "message.max.bytes", "3000");
    EXPECT_EQ(largest_batch(), 3000U);
    set(ResourceType::broker, "1", "message.max.bytes", std::nullopt);
    EXPECT_EQ(largest_batch(), 1000U);
}

TEST_F(SettingsTest, AllThatABrokerSetsForItsTopicsReachesThem) {
    set(ResourceType::broker, "", "log.retention.ms", "7");
    set(ResourceType::broker, "", "log.retention.bytes", "8");
    set(ResourceType::broker, "", "log.segment.bytes", "2000000");
    set(ResourceType::broker, "", "log.roll.ms", "9");
    set(ResourceType::broker, "", "log.message.timestamp.type", "LogAppendTime");
    set(ResourceType::broker, "", "compression.type", "zstd");
    set(ResourceType::broker, "", "compression.lz4.level", "17");
    set(ResourceType::topic, "t", "compression.gzip.level", "1");
    set(ResourceType::topic, "t", "compression.zstd.level", "-7");
    set(ResourceType::broker, "", "min.insync.replicas", "2");
    set(ResourceType::broker, "", "producer.id.expiration.ms", "5000");
    const auto settings = of(*image, "t");
    EXPECT_EQ(settings.log.retention_ms, 7);
    EXPECT_EQ(settings.log.retention_bytes, 8);
    EXPECT_EQ(settings.log.segment_bytes, 2'000'000U);
    EXPECT_EQ(settings.log.segment_ms, 9);
    EXPECT_EQ(settings.rules.timestamp_type, record::TimestampType::log_append);
    EXPECT_EQ(settings.codec, record::Codec::zstd);
    EXPECT_EQ(settings.compression_levels,
              (record::CompressionLevels{.gzip = 1, .lz4 = 17, .zstd = -7}));
    EXPECT_EQ(settings.min_insync_replicas, 2);
    EXPECT_EQ(settings.log.producer_expiration_ms, 5000);
}

TEST_F(SettingsTest, AValueThatCanNotBeChangesNothing) {
    set(ResourceType::broker, "", "message.max.bytes", "many");
    set(ResourceType::topic, "t", "no.such.key", "1");
    EXPECT_EQ(largest_batch(), 1000U);
}

TEST(QuorumSettings, SayWhenMetadataBecomesASnapshotAndWhatIsKept) {
    const auto loaded = config::parse_broker_config(
        "server.properties",
        "process.roles=controller\nnode.id=1\ncontroller.listener.names=C\nlisteners=C://:9093\n"
        "listener.security.protocol.map=C:PLAINTEXT\n"
        "controller.quorum.voters=1@one:9093,2@two:9094\n"
        "metadata.log.max.record.bytes.between.snapshots=77\n"
        "metadata.log.max.snapshot.interval.ms=0\nmetadata.log.segment.ms=5\n"
        "metadata.max.retention.bytes=-1\nmetadata.max.retention.ms=9\n",
        "localhost");
    ASSERT_TRUE(loaded.has_value()) << loaded.error().why;
    EXPECT_EQ(snapshot_policy(loaded->config).after_bytes, 77u);
    EXPECT_GT(snapshot_policy(loaded->config).after, std::chrono::hours(24 * 365));
    const auto quorum = quorum_options(loaded->config, "/d", {"cluster", BrokerId(1), Uuid{1, 2}});
    EXPECT_EQ(quorum.segment_ms, 5);
    EXPECT_EQ(quorum.retention_bytes, -1);
    EXPECT_EQ(quorum.retention_ms, 9);
    ASSERT_EQ(quorum.static_voters.size(), 2u);
    EXPECT_EQ(quorum.static_voters[1].endpoints.front(), (raft::VoterEndpoint{"C", "two", 9094}));
}

TEST_F(SettingsTest, ATopicSaysWhichOfThisBrokersReplicasAreThrottled) {
    EXPECT_EQ(of(*image, "t").throttled, nullptr);
    set(ResourceType::topic, "t", "leader.replication.throttled.replicas", "0:1,1:11,2:2,7:1");
    set(ResourceType::topic, "u", "follower.replication.throttled.replicas", "*");
    const auto some = of(*image, "t").throttled;
    ASSERT_NE(some, nullptr);
    EXPECT_EQ(some->at_leader.some, (std::vector{PartitionIndex(0), PartitionIndex(7)}));
    EXPECT_FALSE(some->at_leader.contains(PartitionIndex(1)));
    EXPECT_FALSE(some->at_follower.contains(PartitionIndex(0)));
    const auto all = of(*image, "u").throttled;
    ASSERT_NE(all, nullptr);
    EXPECT_TRUE(all->at_follower.contains(PartitionIndex(100)));
    EXPECT_FALSE(all->at_leader.contains(PartitionIndex(100)));
}

}  // namespace
}  // namespace milena::node

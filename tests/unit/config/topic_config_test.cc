// SPDX-License-Identifier: Apache-2.0
// A topic's own values over the defaults, and the messages that a client gets to read.
#include "milena/config/topic_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace milena::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string why(const ConfigMap& overrides) {
    const auto config = TopicConfig{}.with(overrides);
    if (config) return "was accepted";
    EXPECT_EQ(config.error().code, ErrorCode::invalid_config);
    return config.error().why;
}

TEST(TopicConfig, KeepsTheDefaultsOfWhatIsNotSet) {
    TopicConfig defaults;
    defaults.retention_ms = 5;
    const auto config = defaults.with({{"segment.bytes", "1048576"}});
    ASSERT_TRUE(config.has_value());
    EXPECT_EQ(config->retention_ms, 5);
    EXPECT_EQ(config->segment_bytes, 1'048'576);
}

TEST(TopicConfig, SetsPoliciesAndWords) {
    const auto config = TopicConfig{}.with({{"cleanup.policy", "compact,delete"},
                                            {"compression.type", "zstd"},
                                            {"message.timestamp.type", "LogAppendTime"},
                                            {"min.cleanable.dirty.ratio", "0.25"},
                                            {"preallocate", "true"}});
    ASSERT_TRUE(config.has_value());
    EXPECT_TRUE(config->compact);
    EXPECT_TRUE(config->remove);
    EXPECT_EQ(config->compression_type, TopicCompression::zstd);
    EXPECT_EQ(config->message_timestamp_type, TimestampType::log_append_time);
    EXPECT_EQ(config->min_cleanable_dirty_ratio, 0.25);
    EXPECT_TRUE(config->preallocate);
}

TEST(TopicConfig, TakesEachCompressionType) {
    const auto type = [](const char* name) {
        return TopicConfig{}.with({{"compression.type", name}})->compression_type;
    };
    EXPECT_EQ(type("producer"), TopicCompression::producer);
    EXPECT_EQ(type("uncompressed"), TopicCompression::uncompressed);
    EXPECT_EQ(type("gzip"), TopicCompression::gzip);
    EXPECT_EQ(type("snappy"), TopicCompression::snappy);
    EXPECT_EQ(type("lz4"), TopicCompression::lz4);
}

TEST(TopicConfig, AllowsNoPolicyAtAll) {
    // An empty list keeps everything (KIP-1161).
    const auto config = TopicConfig{}.with({{"cleanup.policy", ""}});
    ASSERT_TRUE(config.has_value());
    EXPECT_FALSE(config->compact);
    EXPECT_FALSE(config->remove);
}

TEST(TopicConfig, RefusesWhatItDoesNotKnowOrAllow) {
    EXPECT_EQ(why({{"no.such.key", "1"}}), "Unknown topic config name: no.such.key");
    EXPECT_EQ(why({{"segment.bytes", "17"}}),
              "Invalid value 17 for configuration segment.bytes: Value must be at least 1048576");
    EXPECT_THAT(why({{"leader.replication.throttled.replicas", "x"}}),
                HasSubstr("Invalid value [x] for configuration "
                          "leader.replication.throttled.replicas: "));
    EXPECT_EQ(why({{"min.compaction.lag.ms", "2"}, {"max.compaction.lag.ms", "1"}}),
              "conflict topic config setting min.compaction.lag.ms (2) > max.compaction.lag.ms "
              "(1)");
}

TEST(TopicConfig, TakesASmallerSegmentThroughTheInternalKey) {
    const auto config =
        TopicConfig{}.with({{"internal.segment.bytes", "1000"}, {"segment.bytes", "1048576"}});
    ASSERT_TRUE(config.has_value());
    EXPECT_EQ(config->segment_bytes, 1000);
}

TEST(TopicConfig, ReadsThrottledReplicas) {
    const auto config = TopicConfig{}.with({{"leader.replication.throttled.replicas", "0:1,1:2"},
                                            {"follower.replication.throttled.replicas", "*"}});
    ASSERT_TRUE(config.has_value());
    EXPECT_THAT(config->leader_replication_throttled_replicas, ElementsAre("0:1", "1:2"));
    EXPECT_THAT(config->follower_replication_throttled_replicas, ElementsAre("*"));
    EXPECT_THAT(why({{"leader.replication.throttled.replicas", "0:x"}}),
                HasSubstr("[partitionId]:[brokerId]"));
}

}  // namespace
}  // namespace milena::config

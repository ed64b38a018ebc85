// SPDX-License-Identifier: Apache-2.0
// Whole files: what a working one means, and for each rule that no single key can judge, a file
// that breaks it.
#include "milena/config/broker_config.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace milena::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kCombined =
    "process.roles=broker,controller\n"
    "node.id=1\n"
    "listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093\n"
    "controller.listener.names=CONTROLLER\n"
    "controller.quorum.bootstrap.servers=localhost:9093\n"
    "log.dirs=/data/a,/data/b/\n";

/// kCombined with more lines after it, which win.
Result<LoadedConfig> combined_with(std::string_view more) {
    return parse_broker_config("s.properties", std::string(kCombined) + std::string(more), "host1");
}

std::string why(std::string_view more) {
    const auto loaded = combined_with(more);
    return loaded ? "was accepted" : loaded.error().why;
}

BrokerConfig good(std::string_view more) {
    auto loaded = combined_with(more);
    EXPECT_TRUE(loaded.has_value()) << loaded.error().why;
    return loaded ? std::move(loaded->config) : BrokerConfig{};
}

TEST(BrokerConfig, ReadsACombinedNode) {
    const auto config = good("");
    EXPECT_EQ(config.node_id, BrokerId(1));
    EXPECT_TRUE(config.is_broker);
    EXPECT_TRUE(config.is_controller);
    EXPECT_THAT(config.listeners, ElementsAre(Listener{"PLAINTEXT", {"localhost", 9092}},
                                              Listener{"CONTROLLER", {"localhost", 9093}}));
    EXPECT_EQ(config.advertised_listeners, config.listeners);
    EXPECT_EQ(config.inter_broker_listener, "PLAINTEXT");
    EXPECT_THAT(config.controller_listeners, ElementsAre("CONTROLLER"));
    EXPECT_THAT(config.quorum.bootstrap_servers, ElementsAre(env::Endpoint{"localhost", 9093}));
    EXPECT_THAT(config.log_dirs, ElementsAre("/data/a", "/data/b"));
    EXPECT_EQ(config.metadata_log_dir, "/data/a");
    EXPECT_EQ(config.state_dir, "/data/a.milena");
}

TEST(BrokerConfig, ReadsWhereTheAdminPagesAreServed) {
    EXPECT_FALSE(good("").admin_listener.has_value());
    EXPECT_EQ(good("milena.admin.listener=:9404\n").admin_listener, (env::Endpoint{"", 9404}));
    EXPECT_THAT(why("milena.admin.listener=9404\n"),
                HasSubstr("s.properties:7: milena.admin.listener=9404: allowed is host:port"));
}

TEST(BrokerConfig, HasKafkasDefaults) {
    // The defaults of the structs and those of the table are written apart; here they meet.
    const auto config = good("");
    const BrokerConfig plain;
    EXPECT_EQ(config.topic_defaults, TopicConfig{});
    EXPECT_EQ(config.network.request_bytes_max, plain.network.request_bytes_max);
    EXPECT_EQ(config.network.connections_max_idle_ms, plain.network.connections_max_idle_ms);
    EXPECT_EQ(config.network.fetch_bytes_max, plain.network.fetch_bytes_max);
    EXPECT_EQ(config.quorum.election_timeout_ms, plain.quorum.election_timeout_ms);
    EXPECT_EQ(config.quorum.fetch_timeout_ms, plain.quorum.fetch_timeout_ms);
    EXPECT_EQ(config.metadata_log.snapshot_after_bytes, plain.metadata_log.snapshot_after_bytes);
    EXPECT_EQ(config.offsets_topic.partitions, 50);
    EXPECT_EQ(config.transaction_state_topic.min_isr, 2);
    EXPECT_EQ(config.replica_lag_time_max_ms, plain.replica_lag_time_max_ms);
    EXPECT_TRUE(config.auto_create_topics_enable);
}

TEST(BrokerConfig, StartsFromTheSampleWithoutAWarning) {
    std::ifstream file(MILENA_SOURCE_DIR "/config/server.properties");
    std::stringstream text;
    text << file.rdbuf();
    const auto loaded = parse_broker_config("server.properties", text.str(), "host1");
    ASSERT_TRUE(loaded.has_value()) << loaded.error().why;
    EXPECT_THAT(loaded->warnings, IsEmpty());
    EXPECT_THAT(loaded->config.log_dirs, ElementsAre("data/broker-1"));
}

TEST(BrokerConfig, TakesBrokerIdForNodeId) {
    EXPECT_EQ(good("broker.id=1\n").node_id, BrokerId(1));
    EXPECT_THAT(why("broker.id=2\n"), HasSubstr("differs from node.id"));
    EXPECT_THAT(parse_broker_config("s", "process.roles=broker", "h").error().why,
                "s: node.id (not set): must be set; allowed is 0 or more");
}

TEST(BrokerConfig, WantsRoles) {
    EXPECT_THAT(why("process.roles=\n"), HasSubstr("s.properties:7: process.roles=: must be set"));
    EXPECT_THAT(why("process.roles=broker,broker\n"), HasSubstr("a role comes twice"));
    EXPECT_THAT(why("process.roles=zookeeper\n"),
                HasSubstr("allowed is one of broker, controller"));
    EXPECT_THAT(why("controller.listener.names=\n"), HasSubstr("must be set"));
}

TEST(BrokerConfig, HoldsListenersToRoles) {
    EXPECT_THAT(why("listeners=PLAINTEXT://:9092\n"), HasSubstr("a controller needs one of"));
    EXPECT_THAT(why("process.roles=broker\n"), HasSubstr("a node without the controller role"));
    EXPECT_THAT(why("process.roles=controller\n"), HasSubstr("a node without the broker role"));
    const auto controller = good("process.roles=controller\nlisteners=CONTROLLER://:9093\n");
    EXPECT_FALSE(controller.is_broker);
    EXPECT_EQ(controller.inter_broker_listener, "");
}

TEST(BrokerConfig, AdvertisesTheHostNameForAnEmptyHost) {
    const auto config = good("listeners=PLAINTEXT://:9092,CONTROLLER://0.0.0.0:9093\n");
    EXPECT_EQ(config.listeners[0].endpoint.host, "");
    EXPECT_THAT(config.advertised_listeners, ElementsAre(Listener{"PLAINTEXT", {"host1", 9092}},
                                                         Listener{"CONTROLLER", {"host1", 9093}}));
}

TEST(BrokerConfig, AdvertisesWhatItIsToldTo) {
    const auto config = good(
        "listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://:9093\n"
        "advertised.listeners=plaintext://[2001:db8::1]:19092\n");
    EXPECT_THAT(config.advertised_listeners,
                ElementsAre(Listener{"PLAINTEXT", {"2001:db8::1", 19092}},
                            Listener{"CONTROLLER", {"host1", 9093}}));
}

TEST(BrokerConfig, RefusesToAdvertiseWhatNobodyCanReach) {
    EXPECT_THAT(why("listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://:9093\n"),
                HasSubstr("would tell clients to connect to 0.0.0.0"));
    EXPECT_THAT(why("advertised.listeners=OTHER://h:1\n"),
                HasSubstr("no security protocol for OTHER"));
    EXPECT_THAT(why("advertised.listeners=SSL://h:1\n"), HasSubstr("only one that Milena speaks"));
}

TEST(BrokerConfig, RefusesListenersThatDoNotParse) {
    for (const auto* text :
         {"9092", "PLAINTEXT", "PLAINTEXT://h", "PLAINTEXT://h:", "://h:1", "PLAINTEXT://h:65536",
          "PLAINTEXT://h:-1", "PLAINTEXT://a b:1", "PLAINTEXT://::1:9092"}) {
        EXPECT_THAT(why(std::string("listeners=") + text + "\n"),
                    HasSubstr("allowed is NAME://host:port"))
            << text;
    }
}

TEST(BrokerConfig, RefusesListenersThatCollide) {
    EXPECT_THAT(why("listeners=PLAINTEXT://:9092,PLAINTEXT://:9094,CONTROLLER://:9093\n"),
                HasSubstr("PLAINTEXT comes twice"));
    EXPECT_THAT(why("listeners=PLAINTEXT://:9092,CONTROLLER://a:9092\n"),
                HasSubstr("have the same port 9092"));
}

TEST(BrokerConfig, RefusesProtocolsItCanNotSpeakYet) {
    EXPECT_EQ(why("listener.security.protocol.map=PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT\n"),
              "s.properties:3: "
              "listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093: PLAINTEXT has the "
              "protocol SASL_SSL; so far PLAINTEXT is the only one that Milena speaks");
    EXPECT_THAT(why("listener.security.protocol.map=PLAINTEXT:HTTP\n"), HasSubstr("NAME:PROTOCOL"));
    EXPECT_THAT(why("listener.security.protocol.map=PLAINTEXT:PLAINTEXT\n"),
                HasSubstr("no security protocol for CONTROLLER"));
}

TEST(BrokerConfig, PicksTheListenerBetweenBrokers) {
    const auto config = good(
        "listeners=PLAINTEXT://:9092,INSIDE://:9094,CONTROLLER://:9093\n"
        "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT\n"
        "inter.broker.listener.name=inside\n");
    EXPECT_EQ(config.inter_broker_listener, "INSIDE");
    EXPECT_THAT(why("inter.broker.listener.name=CONTROLLER\n"),
                HasSubstr("is one of controller.listener.names"));
    EXPECT_THAT(why("inter.broker.listener.name=GONE\n"), HasSubstr("which GONE is not"));
    EXPECT_THAT(why("inter.broker.listener.name=PLAINTEXT\nsecurity.inter.broker.protocol=SSL\n"),
                HasSubstr("set either this or"));
}

TEST(BrokerConfig, ReadsAStaticQuorum) {
    const auto config = good("controller.quorum.voters=1@a:9093,2@[::1]:9093\n");
    EXPECT_THAT(config.quorum.voters, ElementsAre(QuorumVoter{BrokerId(1), {"a", 9093}},
                                                  QuorumVoter{BrokerId(2), {"::1", 9093}}));
}

TEST(BrokerConfig, ChecksTheQuorum) {
    EXPECT_THAT(why("controller.quorum.bootstrap.servers=\n"),
                HasSubstr("this or controller.quorum.voters must be set"));
    EXPECT_THAT(why("controller.quorum.bootstrap.servers=localhost\n"), HasSubstr("host:port"));
    EXPECT_THAT(why("controller.quorum.voters=2@a:9093\n"),
                HasSubstr("a controller must be a voter"));
    EXPECT_THAT(why("controller.quorum.voters=1@a:9093,1@b:9093\n"), HasSubstr("1 comes twice"));
    for (const auto* text : {"a:9093", "x@a:9093", "-1@a:9093", "1@a", "@"}) {
        EXPECT_THAT(why(std::string("controller.quorum.voters=") + text + "\n"),
                    HasSubstr("id@host:port"))
            << text;
    }
    EXPECT_THAT(why("process.roles=broker\nlisteners=PLAINTEXT://:9092\n"
                    "controller.quorum.voters=1@a:9093\n"),
                HasSubstr("without the controller role"));
}

TEST(BrokerConfig, ChecksDirectories) {
    EXPECT_THAT(why("log.dirs=/a,/a/\n"), HasSubstr("allowed are different directories"));
    EXPECT_THAT(why("log.dirs=/a,,/b\n"), HasSubstr("allowed are different directories"));
    EXPECT_THAT(why("milena.state.dir=/data/a/state\n"), HasSubstr("outside of /data/a"));
    EXPECT_EQ(good("milena.state.dir=/data/ab\n").state_dir, "/data/ab");
    EXPECT_EQ(good("metadata.log.dir=/meta/\n").metadata_log_dir, "/meta");
    EXPECT_THAT(good("log.dirs=\nlog.dir=/x\n").log_dirs, ElementsAre("/x"));
}

TEST(BrokerConfig, ChecksNumbersThatTheTableLeavesOpen) {
    EXPECT_EQ(why("log.retention.ms=0\n"),
              "s.properties:7: log.retention.ms=0: allowed is 1 or more, or -1");
    EXPECT_THAT(why("connections.max.idle.ms=-2\n"), HasSubstr("allowed is 1 or more, or -1"));
    EXPECT_THAT(why("broker.heartbeat.interval.ms=5000\n"), HasSubstr("at most half"));
    EXPECT_THAT(why("log.cleaner.min.compaction.lag.ms=2\nlog.cleaner.max.compaction.lag.ms=1\n"),
                HasSubstr("at most log.cleaner.max.compaction.lag.ms"));
    EXPECT_EQ(good("log.retention.ms=-1\n").topic_defaults.retention_ms, -1);
}

TEST(BrokerConfig, GivesTopicsTheNearestOfSeveralTimeKeys) {
    EXPECT_EQ(good("log.retention.hours=2\n").topic_defaults.retention_ms, 7'200'000);
    EXPECT_EQ(good("log.retention.hours=2\nlog.retention.minutes=3\n").topic_defaults.retention_ms,
              180'000);
    EXPECT_EQ(good("log.retention.hours=2\nlog.retention.ms=4\n").topic_defaults.retention_ms, 4);
    EXPECT_EQ(good("log.retention.hours=-1\n").topic_defaults.retention_ms, -1);
    EXPECT_EQ(good("log.roll.hours=1\n").topic_defaults.segment_ms, 3'600'000);
    EXPECT_EQ(good("log.roll.jitter.hours=1\n").topic_defaults.segment_jitter_ms, 3'600'000);
    EXPECT_EQ(good("log.flush.scheduler.interval.ms=5\n").topic_defaults.flush_ms, 5);
    EXPECT_EQ(good("log.cleanup.policy=compact\n").topic_defaults.remove, false);
}

TEST(BrokerConfig, HasSegmentsOfTheMetadataLogThatMayBeSmallForTests) {
    EXPECT_EQ(good("metadata.log.segment.bytes=9000000\n").metadata_log.segment_bytes, 9'000'000);
    EXPECT_EQ(good("metadata.log.segment.bytes=9000000\ninternal.metadata.log.segment.bytes=500\n")
                  .metadata_log.segment_bytes,
              500);
}

}  // namespace
}  // namespace milena::config

// SPDX-License-Identifier: Apache-2.0
// The words are those that Apache Kafka 4.4.0 answered to the same changes.
#include <gtest/gtest.h>

#include "milena/config/layers.h"

namespace milena::config {
namespace {

std::string why(const ConfigMap& changed, bool is_of_broker = true) {
    Warnings warnings;
    const auto file =
        *Settings::from(*Properties::parse("server.properties", "log.dirs=/a,/b"), warnings);
    const auto checked = check_dynamic_config(changed, is_of_broker, {file, {}, {}});
    if (checked) return "fine";
    EXPECT_EQ(checked.error().code, ErrorCode::invalid_request);
    return checked.error().why;
}

constexpr std::string_view kThreads =
    "Invalid value org.apache.kafka.common.config.ConfigException: Dynamic thread count update "
    "validation failed for num.io.threads=";

TEST(Dynamic, RefusesWhatIsFixedWhileABrokerRuns) {
    EXPECT_EQ(why({{"num.partitions", "3"}, {"node.id", "2"}}),
              "Cannot update these configs dynamically: [node.id, num.partitions]");
}

TEST(Dynamic, ABrokersOwnAffairsAreNotTheClusters) {
    const ConfigMap changed{{"listeners", "PLAINTEXT://:1"}};
    EXPECT_EQ(why(changed, true), "fine");
    EXPECT_EQ(why(changed, false),
              "Cannot update these configs at default cluster level, broker id must be specified: "
              "[listeners]");
    EXPECT_EQ(why({{"listener.name.x.ssl.keystore.type", "JKS"}}, false),
              "Cannot update these configs at default cluster level, broker id must be specified: "
              "[listener.name.x.ssl.keystore.type]");
}

TEST(Dynamic, CertificatesBelongToAListener) {
    EXPECT_EQ(why({{"ssl.keystore.location", "x"}}),
              "These security configs can be dynamically updated only per-listener using the "
              "listener prefix: [ssl.keystore.location]");
    EXPECT_EQ(why({{"listener.name.x.ssl.keystore.location", "x"}}), "fine");
}

TEST(Dynamic, ChecksValuesUnderAListenersNameToo) {
    EXPECT_EQ(why({{"listener.name.x.message.max.bytes", "y"}}),
              "Invalid value y for configuration message.max.bytes: Not a number of type INT");
    EXPECT_EQ(why({{"leader.replication.throttled.rate", "-1"}}),
              "Invalid value -1 for configuration leader.replication.throttled.rate: Value must be "
              "at least 0");
    EXPECT_EQ(why({{"no.such.key", "y"}}), "fine");
}

TEST(Dynamic, ThreadsDoNotJump) {
    EXPECT_EQ(why({{"num.io.threads", "4"}}), "fine");
    EXPECT_EQ(why({{"num.io.threads", "16"}}), "fine");
    EXPECT_EQ(why({{"num.io.threads", "3"}}),
              std::string(kThreads) +
                  "3, value should be at least half the current value 8 for "
                  "configuration Invalid dynamic configuration");
    EXPECT_EQ(why({{"num.io.threads", "17"}}),
              std::string(kThreads) +
                  "17, value should not be greater than double the current "
                  "value 8 for configuration Invalid dynamic configuration");
    EXPECT_NE(why({{"log.cleaner.threads", "3"}}), "fine");
    EXPECT_NE(why({{"log.cleaner.threads", "0"}}), "fine");
}

TEST(Dynamic, TimesHaveTheirLimits) {
    EXPECT_EQ(why({{"log.retention.ms", "0"}}),
              "requirement failed: log.retention.ms must be unlimited (-1) or, greater than or "
              "equal to 1");
    EXPECT_EQ(why({{"log.retention.ms", "-1"}}), "fine");
    EXPECT_EQ(why({{"log.roll.ms", "0"}}),
              "requirement failed: log.roll.ms must be greater than or equal to 1");
    EXPECT_EQ(why({{"log.roll.jitter.ms", "-1"}}),
              "requirement failed: log.roll.jitter.ms must be greater than or equal to 0");
    EXPECT_NE(why({{"log.local.retention.ms", "10000000000"}}), "fine");
    EXPECT_EQ(why({{"log.local.retention.ms", "5"}}), "fine");
}

TEST(Dynamic, CordonsOnlyDirectoriesThatItHas) {
    EXPECT_EQ(why({{"cordoned.log.dirs", "/a"}}), "fine");
    EXPECT_EQ(why({{"cordoned.log.dirs", "*"}}), "fine");
    EXPECT_EQ(why({{"cordoned.log.dirs", "/x,/b"}}),
              "requirement failed: All entries in cordoned.log.dirs must be present in log.dirs or "
              "log.dir. Missing entries : /x");
}

TEST(Dynamic, ReadsLimitsOfSingleAddresses) {
    const auto limits = connection_overrides(" 127.0.0.1:5, ::1:0");
    ASSERT_TRUE(limits);
    EXPECT_EQ(limits->at("127.0.0.1"), 5);
    EXPECT_EQ(limits->at("::1"), 0);
    EXPECT_TRUE(connection_overrides("")->empty());
    for (const auto* const bad : {"a", "a:b", ":5", "a:-1", "a:1,,b:1"})
        EXPECT_FALSE(connection_overrides(bad)) << bad;
    EXPECT_NE(why({{"max.connections.per.ip.overrides", "a:b"}}), "fine");
}

TEST(Dynamic, KnowsWhichKeyAListenersKeyIsAbout) {
    EXPECT_EQ(base_name("listener.name.a.max.connections"), "max.connections");
    EXPECT_EQ(base_name("listener.name.a.plain.sasl.jaas.config"), "sasl.jaas.config");
    EXPECT_EQ(base_name("max.connections"), "max.connections");
    EXPECT_EQ(base_name("listener.name.a"), "listener.name.a");
}

}  // namespace
}  // namespace milena::config

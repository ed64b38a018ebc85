// SPDX-License-Identifier: Apache-2.0
// Layers put over one another by hand; what they come to is what Apache Kafka 4.4.0 shows for the
// same ones.
#include "milena/config/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace milena::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum ConfigSource;

Settings settings(std::string_view text) {
    Warnings warnings;
    return *Settings::from(*Properties::parse("server.properties", text), warnings);
}

const DescribedConfig& find(const std::vector<DescribedConfig>& all, std::string_view name) {
    const auto at = std::ranges::find(all, name, &DescribedConfig::name);
    EXPECT_NE(at, all.end()) << name;
    return *at;
}

class LayersTest : public ::testing::Test {
protected:
    DescribedConfig broker(std::string_view name) {
        return find(describe_broker({file, cluster_wide, of_broker}), name);
    }
    DescribedConfig topic(std::string_view name) {
        return find(describe_topic(own, {file, cluster_wide, of_broker}), name);
    }

    Settings file = settings("");
    ConfigMap cluster_wide;
    ConfigMap of_broker;
    ConfigMap own;
};

TEST_F(LayersTest, TheMostSpecificLayerIsInForce) {
    file = settings("log.segment.bytes=2000000");
    cluster_wide["log.segment.bytes"] = "3000000";
    of_broker["log.segment.bytes"] = "4000000";
    own["segment.bytes"] = "5000000";
    EXPECT_THAT(topic("segment.bytes").synonyms,
                ElementsAre(LayerValue{"segment.bytes", "5000000", ConfigSource::topic},
                            LayerValue{"log.segment.bytes", "4000000", dynamic_broker},
                            LayerValue{"log.segment.bytes", "3000000", dynamic_default_broker},
                            LayerValue{"log.segment.bytes", "2000000", static_broker},
                            LayerValue{"log.segment.bytes", "1073741824", fallback}));
    EXPECT_EQ(topic("segment.bytes").value, "5000000");
    EXPECT_EQ(broker("log.segment.bytes").value, "4000000");
    EXPECT_EQ(broker("log.segment.bytes").source, dynamic_broker);
}

TEST_F(LayersTest, ATopicsValueComesInItsOwnUnit) {
    file = settings("log.retention.hours=2");
    EXPECT_EQ(topic("retention.ms").value, "7200000");
    // Kafka tells nothing of a layer that has only another word for the key.
    EXPECT_THAT(topic("retention.ms").synonyms, IsEmpty());
    EXPECT_EQ(topic("retention.ms").source, fallback);
}

TEST_F(LayersTest, TheClustersDefaultHasOnlyWhatIsSetThere) {
    cluster_wide["message.max.bytes"] = "2000000";
    const auto all = describe_cluster_wide({file, cluster_wide, of_broker});
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all.front().value, "2000000");
    EXPECT_THAT(all.front().synonyms,
                ElementsAre(LayerValue{"message.max.bytes", "2000000", dynamic_default_broker}));
}

TEST_F(LayersTest, TellsNobodyAPasswordOrWhatMayBeOne) {
    file = settings("ssl.keystore.password=one\nno.such.key=two\n");
    of_broker["listener.name.x.ssl.keystore.password"] = "three";
    for (const auto* const name :
         {"ssl.keystore.password", "no.such.key", "listener.name.x.ssl.keystore.password"}) {
        const auto described = broker(name);
        EXPECT_TRUE(described.is_sensitive) << name;
        EXPECT_EQ(described.value, std::nullopt) << name;
        for (const auto& synonym : described.synonyms)
            EXPECT_EQ(synonym.value, std::nullopt) << name;
    }
}

TEST_F(LayersTest, AKeyOfOneListenerHasTheOthersValueBelowIt) {
    of_broker["listener.name.x.ssl.keystore.type"] = "PKCS12";
    const auto described = broker("listener.name.x.ssl.keystore.type");
    EXPECT_EQ(described.value, "PKCS12");
    EXPECT_TRUE(described.is_read_only);
    EXPECT_THAT(described.synonyms, ElementsAre(LayerValue{"listener.name.x.ssl.keystore.type",
                                                           "PKCS12", dynamic_broker},
                                                LayerValue{"ssl.keystore.type", "JKS", fallback}));
}

TEST_F(LayersTest, OnlyWhatCanChangeIsNotReadOnly) {
    EXPECT_TRUE(broker("num.partitions").is_read_only);
    EXPECT_FALSE(broker("message.max.bytes").is_read_only);
}

TEST_F(LayersTest, AnOldNameOfTheNodesNumberIsTheSameNumber) {
    file = settings("node.id=7");
    EXPECT_EQ(broker("broker.id").value, "7");
    EXPECT_EQ(broker("broker.id").source, static_broker);
}

TEST_F(LayersTest, InternalKeysShowWhereTheyAreSet) {
    const auto has = [&](const std::vector<DescribedConfig>& all, std::string_view name) {
        return std::ranges::find(all, name, &DescribedConfig::name) != all.end();
    };
    const Layers layers{file, cluster_wide, of_broker};
    EXPECT_FALSE(has(describe_topic(own, layers), "internal.segment.bytes"));
    EXPECT_FALSE(has(describe_broker(layers), "log.initial.task.delay.ms"));
    EXPECT_FALSE(has(describe_group(own, layers), "consumer.assignor.offload.enable"));
    own = {{"internal.segment.bytes", "100"}, {"consumer.assignor.offload.enable", "false"}};
    EXPECT_TRUE(has(describe_topic(own, layers), "internal.segment.bytes"));
    EXPECT_TRUE(has(describe_group(own, layers), "consumer.assignor.offload.enable"));
    file = settings("log.initial.task.delay.ms=5");
    EXPECT_TRUE(has(describe_broker({file, cluster_wide, of_broker}), "log.initial.task.delay.ms"));
}

TEST_F(LayersTest, AGroupTakesTheBrokersDefaults) {
    cluster_wide["group.consumer.assignment.interval.ms"] = "2000";
    own["consumer.session.timeout.ms"] = "50000";
    const auto all = describe_group(own, {file, cluster_wide, of_broker});
    EXPECT_EQ(find(all, "consumer.assignment.interval.ms").value, "2000");
    EXPECT_EQ(find(all, "consumer.session.timeout.ms").source, group);
    EXPECT_EQ(find(all, "streams.assignor.name").value, "sticky");
}

TEST_F(LayersTest, EveryDescribedKeyHasAType) {
    for (const auto& one : describe_topic(own, {file, cluster_wide, of_broker}))
        EXPECT_TRUE(one.type) << one.name;
    for (const auto& one : describe_client_metrics(own)) EXPECT_TRUE(one.type) << one.name;
}

}  // namespace
}  // namespace milena::config

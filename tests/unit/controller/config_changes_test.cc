// SPDX-License-Identifier: Apache-2.0
// Changes of configuration on a controller with a log of its own: codes and words are those that
// Apache Kafka 4.4.0 gave to the same requests.
#include <gmock/gmock.h>

#include "cluster.h"

namespace milena::controller {
namespace {

using metadata::ConfigResource;
using metadata::ResourceType;
using ::testing::ElementsAre;
using ::testing::Pair;
using enum ConfigOperation;

class ConfigChanges : public ::testing::Test {
protected:
    ConfigChanges() {
        cluster.add_broker(1);
        cluster.create("t", {broker_ids({1})});
    }

    AlteredResource alter(ResourceType type, const std::string& name,
                          std::vector<ConfigChange> changes, bool replaces_all = false) {
        AlterConfigsRequest request;
        request.resources.push_back({{type, name}, std::move(changes), replaces_all});
        return cluster.commit(cluster.controller().alter_configs(request)).front();
    }
    AlteredResource alter_topic(std::vector<ConfigChange> changes) {
        return alter(ResourceType::topic, "t", std::move(changes));
    }
    metadata::Configs configs(ResourceType type, std::string_view name) {
        return *cluster.image().configs->find(type, name);
    }
    std::string value(std::string_view key) {
        const auto all = configs(ResourceType::topic, "t");
        const auto at = all.find(key);
        return at == all.end() ? "not set" : at->second;
    }

    Cluster cluster;
};

const AlteredResource kDone{};

TEST_F(ConfigChanges, SetsAndRemovesWhatATopicSays) {
    EXPECT_EQ(alter_topic({{"retention.ms", set, "5000"}, {"segment.ms", set, "7"}}), kDone);
    EXPECT_THAT(configs(ResourceType::topic, "t"),
                ElementsAre(Pair("retention.ms", "5000"), Pair("segment.ms", "7")));
    EXPECT_EQ(alter_topic({{"retention.ms", remove}}), kDone);
    EXPECT_THAT(configs(ResourceType::topic, "t"), ElementsAre(Pair("segment.ms", "7")));
}

TEST_F(ConfigChanges, WritesNothingWhereNothingChanges) {
    alter_topic({{"retention.ms", set, "5000"}});
    const auto before = cluster.log().size();
    EXPECT_EQ(alter_topic({{"retention.ms", set, "5000"}, {"never.set", remove}}), kDone);
    EXPECT_EQ(cluster.log().size(), before);
}

TEST_F(ConfigChanges, TellsABrokerAValueAgain) {
    alter(ResourceType::broker, "1", {{"log.cleaner.threads", set, "2"}});
    const auto before = cluster.log().size();
    alter(ResourceType::broker, "1", {{"log.cleaner.threads", set, "2"}});
    EXPECT_EQ(cluster.log().size(), before + 1);
}

TEST_F(ConfigChanges, AppendsToTheDefaultOfAList) {
    EXPECT_EQ(alter_topic({{"cleanup.policy", append, "compact"}}), kDone);
    EXPECT_EQ(value("cleanup.policy"), "delete,compact");
    EXPECT_EQ(alter_topic({{"cleanup.policy", append, "compact"}}), kDone);
    EXPECT_EQ(value("cleanup.policy"), "delete,compact");
    EXPECT_EQ(alter_topic({{"cleanup.policy", subtract, "delete"}}), kDone);
    EXPECT_EQ(value("cleanup.policy"), "compact");
    EXPECT_EQ(alter_topic({{"cleanup.policy", subtract, "compact"}}), kDone);
    EXPECT_EQ(value("cleanup.policy"), "");
}

TEST_F(ConfigChanges, AppendsOnlyToLists) {
    EXPECT_EQ(alter_topic({{"retention.ms", append, "1"}}),
              (AlteredResource{ErrorCode::invalid_config,
                               "Can't APPEND to key retention.ms because its type is not LIST."}));
    EXPECT_EQ(
        alter(ResourceType::group, "g", {{"streams.rack.aware.assignment.tags", subtract, "zone"}})
            .why,
        "Can't SUBTRACT to key streams.rack.aware.assignment.tags because its type is not "
        "LIST.");
    EXPECT_EQ(alter_topic({{"cleanup.policy", append, ""}}).why,
              "Configuration 'cleanup.policy' values must not be empty.");
}

TEST_F(ConfigChanges, NoListGrowsLongerThanAStringMayBe) {
    const ConfigChange first{"ssl.cipher.suites", append, std::string(32'000, 'a')};
    const ConfigChange second{"ssl.cipher.suites", append, std::string(32'000, 'b')};
    const AlteredResource refused{
        ErrorCode::invalid_config,
        "The value of ssl.cipher.suites would be longer than the 32767 bytes that it may have."};
    EXPECT_EQ(alter(ResourceType::broker, "", {first}), kDone);
    EXPECT_EQ(alter(ResourceType::broker, "", {second}), refused);
    EXPECT_EQ(configs(ResourceType::broker, "").find("ssl.cipher.suites")->second, first.value);

    AlterConfigsRequest request;
    request.validate_only = true;
    request.resources.push_back({{ResourceType::broker, ""}, {second}});
    EXPECT_EQ(cluster.controller().alter_configs(request).reply.front(), refused);
}

TEST_F(ConfigChanges, RefusesWhatATopicCanNotBe) {
    EXPECT_EQ(alter_topic({{"nope", set, "1"}}),
              (AlteredResource{ErrorCode::invalid_config, "Unknown topic config name: nope"}));
    EXPECT_EQ(alter_topic({{"remote.storage.enable", set, "true"}}).why,
              "Tiered Storage functionality is disabled in the broker. Topic cannot be configured "
              "with remote log storage.");
    EXPECT_EQ(
        alter(ResourceType::topic, "no", {{"retention.ms", set, "1"}}),
        (AlteredResource{ErrorCode::unknown_topic_or_partition, "The topic 'no' does not exist."}));
    EXPECT_EQ(alter(ResourceType::topic, "", {}).code, ErrorCode::invalid_request);
    EXPECT_EQ(alter(ResourceType::topic, "a b", {}).code, ErrorCode::invalid_topic_exception);
    EXPECT_EQ(value("retention.ms"), "not set");
}

TEST_F(ConfigChanges, ChecksATopicAgainstTheClustersDefaults) {
    Options options = Cluster::default_options();
    options.settings = std::make_shared<config::Settings>(config::Settings::defaults());
    Cluster other(options);
    AlterConfigsRequest request;
    request.resources.push_back(
        {{ResourceType::broker, ""}, {{"log.cleaner.max.compaction.lag.ms", set, "5"}}});
    request.resources.push_back({{ResourceType::topic, "t"}, {}});
    request.resources.back().changes.push_back({"min.compaction.lag.ms", set, "10"});
    other.commit(other.controller().alter_configs(request));
    EXPECT_EQ(other.commit(other.controller().alter_configs(request)).back().why,
              "conflict topic config setting min.compaction.lag.ms (10) > max.compaction.lag.ms "
              "(5)");
}

TEST_F(ConfigChanges, OneRefusedResourceTakesNoOtherWithIt) {
    AlterConfigsRequest request;
    request.resources.push_back({{ResourceType::topic, "no"}, {{"retention.ms", set, "1"}}});
    request.resources.push_back({{ResourceType::topic, "t"}, {{"retention.ms", set, "3"}}});
    const auto reply = cluster.commit(cluster.controller().alter_configs(request));
    EXPECT_EQ(reply.front().code, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(reply.back(), kDone);
    EXPECT_EQ(value("retention.ms"), "3");
}

TEST_F(ConfigChanges, OnlyChecksWhereThatIsAsked) {
    AlterConfigsRequest request;
    request.validate_only = true;
    request.resources.push_back({{ResourceType::topic, "t"}, {{"retention.ms", set, "3"}}});
    const auto decision = cluster.controller().alter_configs(request);
    EXPECT_TRUE(decision.records.empty());
    EXPECT_EQ(decision.reply.front(), kDone);
}

TEST_F(ConfigChanges, ReplacesAllWhereThatIsAsked) {
    alter_topic({{"retention.ms", set, "5000"}, {"segment.ms", set, "7"}});
    EXPECT_EQ(alter(ResourceType::topic, "t", {{"segment.ms", set, "8"}}, true), kDone);
    EXPECT_THAT(configs(ResourceType::topic, "t"), ElementsAre(Pair("segment.ms", "8")));
}

TEST_F(ConfigChanges, KeepsOneMinimumOfInSyncReplicasForTheCluster) {
    EXPECT_EQ(alter(ResourceType::broker, "1", {{"min.insync.replicas", set, "1"}}).why,
              "Broker-level min.insync.replicas cannot be altered while ELR is enabled.");
    EXPECT_EQ(alter(ResourceType::broker, "", {{"min.insync.replicas", remove}}).why,
              "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.");
    EXPECT_EQ(alter(ResourceType::broker, "", {{"log.cleaner.threads", set, "2"}}, true).why,
              "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.");
}

TEST_F(ConfigChanges, ANewMinimumForgetsWhoWasEligible) {
    const auto before = cluster.log().size();
    alter_topic({{"min.insync.replicas", set, "2"}});
    // The value, and the record that clears.
    EXPECT_EQ(cluster.log().size(), before + 2);
    alter(ResourceType::broker, "", {{"min.insync.replicas", set, "2"}});
    EXPECT_EQ(cluster.log().size(), before + 4);
}

TEST_F(ConfigChanges, BrokersHaveNumbers) {
    EXPECT_EQ(alter(ResourceType::broker, "x", {}).why,
              "Unable to parse broker name as a base 10 number.");
    EXPECT_EQ(alter(ResourceType::broker, "-1", {}).why, "Invalid negative broker ID.");
}

TEST_F(ConfigChanges, GroupsAndClientMetricsHaveTheirOwnKeys) {
    EXPECT_EQ(alter(ResourceType::group, "g", {{"consumer.session.timeout.ms", set, "50000"}}),
              kDone);
    EXPECT_EQ(alter(ResourceType::group, "g", {{"consumer.session.timeout.ms", set, "1"}}).why,
              "consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.");
    EXPECT_EQ(alter(ResourceType::group, "", {}).why, "Default group resources are not allowed.");
    EXPECT_EQ(alter(ResourceType::client_metrics, "m", {{"interval.ms", set, "1000"}}), kDone);
    EXPECT_EQ(alter(ResourceType::client_metrics, "m", {{"nope", set, "1"}}),
              (AlteredResource{ErrorCode::invalid_request,
                               "Unknown client metrics configuration: nope"}));
    EXPECT_EQ(alter(ResourceType::client_metrics, "", {}).why, "Subscription name can't be empty");
}

TEST_F(ConfigChanges, OtherTypesAreRefused) {
    EXPECT_EQ(alter(static_cast<ResourceType>(3), "x", {}).why, "Unknown resource type 3");
    EXPECT_EQ(alter(ResourceType::broker_logger, "1", {}).why, "Unknown resource type 8");
}

TEST_F(ConfigChanges, MoreRecordsThanOneBatchMayHoldAreRefusedTogether) {
    AlterConfigsRequest request;
    const auto broker = [&](int id) {
        ResourceAlteration one{{ResourceType::broker, std::to_string(id)}, {}, false};
        for (int key = 0; key < 100; ++key)
            one.changes.push_back({"my.key." + std::to_string(key), set, "x"});
        return one;
    };
    for (int id = 0; id < 100; ++id) request.resources.push_back(broker(id));
    AlterConfigsRequest validated = request;
    validated.validate_only = true;
    EXPECT_EQ(cluster.controller().alter_configs(validated).reply.front(), kDone);
    EXPECT_EQ(cluster.controller().alter_configs(request).records.size(), 10'000U);

    for (const bool validate_only : {true, false}) {
        request.validate_only = validate_only;
        if (validate_only) request.resources.push_back(broker(100));
        const auto decision = cluster.controller().alter_configs(request);
        EXPECT_TRUE(decision.records.empty());
        ASSERT_EQ(decision.reply.size(), 101U);
        for (const AlteredResource& one : decision.reply) {
            EXPECT_EQ(one.code, ErrorCode::policy_violation);
            EXPECT_EQ(one.why, "Unable to perform excessively large batch operation.");
        }
    }
}

}  // namespace
}  // namespace milena::controller

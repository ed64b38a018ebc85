// SPDX-License-Identifier: Apache-2.0
// UpdateFeatures. The errors and their texts are those that a live Apache Kafka 4.4 gave to the
// same requests.
#include <gtest/gtest.h>

#include "cluster.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

constexpr auto kUpgrade = FeatureUpgrade::upgrade;
constexpr auto kSafe = FeatureUpgrade::safe_downgrade;
constexpr auto kUnsafe = FeatureUpgrade::unsafe_downgrade;

class FeaturesTest : public ::testing::Test {
protected:
    FeaturesTest() { cluster_.add_broker(1); }

    /// What is wrong with the updates; nothing if they were made.
    std::string update(std::vector<FeatureUpdate> updates) {
        const auto done = cluster_.commit(
            cluster_.controller().update_features({.updates = std::move(updates)}, kKraftVersion));
        if (done) return "";
        EXPECT_EQ(done.error().code, ErrorCode::invalid_update_version);
        return done.error().why;
    }
    std::int16_t level(std::string_view feature) {
        return cluster_.image().features->level(feature);
    }

    static constexpr std::int16_t kKraftVersion = 1;
    Cluster cluster_;
};

TEST_F(FeaturesTest, GoDownAndUpAgain) {
    EXPECT_EQ(update({{"group.version", 0, kSafe}, {"share.version", 1, kUnsafe}}), "");
    EXPECT_EQ(level("group.version"), 0);
    EXPECT_EQ(level("share.version"), 1);
    EXPECT_EQ(update({{"share.version", 2, kUpgrade}}), "");
    EXPECT_EQ(level("share.version"), 2);
}

TEST_F(FeaturesTest, GoWhereEveryNodeCanFollow) {
    EXPECT_EQ(update({{"group.version", 2, kUpgrade}}),
              "Invalid update version 2 for feature group.version. Local controller 100 only "
              "supports versions 0-1");
    EXPECT_EQ(update({{"metadata.version", 6, kSafe}}),
              "Invalid update version 6 for feature metadata.version. Local controller 100 only "
              "supports versions 7-33");
    EXPECT_EQ(update({{"no.such", 1, kUpgrade}}),
              "Invalid update version 1 for feature no.such. Local controller 100 does not "
              "support this feature.");
    EXPECT_EQ(update({{"no.such", 0, kUpgrade}}),
              "Invalid update version 0 for feature no.such. Feature no.such not found.");
    EXPECT_EQ(update({{"group.version", -1, kSafe}}),
              "Invalid update version -1 for feature group.version. A feature version cannot be "
              "less than 0.");
}

TEST_F(FeaturesTest, WaitForABrokerOfAnOlderRelease) {
    ASSERT_EQ(update({{"share.version", 0, kSafe}, {"streams.version", 0, kSafe}}), "");
    auto older = cluster_.registration(2);
    older.features["share.version"] = {0, 1};
    older.features.erase("streams.version");
    ASSERT_TRUE(cluster_.register_broker(older));
    EXPECT_EQ(update({{"share.version", 2, kUpgrade}}),
              "Invalid update version 2 for feature share.version. Broker 2 only supports "
              "versions 0-1");
    EXPECT_EQ(update({{"streams.version", 1, kUpgrade}}),
              "Invalid update version 1 for feature streams.version. Broker 2 does not support "
              "this feature.");
    EXPECT_EQ(update({{"share.version", 1, kUpgrade}}), "");
}

TEST_F(FeaturesTest, GoTheWayThatTheTypeSays) {
    const std::string down =
        "Can't downgrade the version of this feature without setting the upgrade type to either "
        "safe or unsafe downgrade.";
    EXPECT_EQ(update({{"group.version", 0, kUpgrade}}),
              "Invalid update version 0 for feature group.version. " + down);
    ASSERT_EQ(update({{"group.version", 0, kSafe}}), "");
    for (const auto type : {kSafe, kUnsafe}) {
        EXPECT_EQ(update({{"group.version", 1, type}}),
                  "Invalid update version 1 for feature group.version. Can't downgrade to a newer "
                  "version.");
    }
    for (const int type : {0, 4, -1}) {
        EXPECT_EQ(update({{"group.version", 1, static_cast<FeatureUpgrade>(type)}}),
                  "Invalid update version 1 for feature group.version. The controller does not "
                  "support the given upgrade type.");
    }
}

TEST_F(FeaturesTest, KeepTheMetadataThatIsThere) {
    const std::string from_33 = "Unsupported metadata.version downgrade from 33 to 32. ";
    EXPECT_EQ(update({{"metadata.version", 32, kSafe}}),
              from_33 +
                  "Refusing to perform the requested downgrade because it might delete "
                  "metadata information.");
    EXPECT_EQ(update({{"metadata.version", 32, kUnsafe}}),
              from_33 + "Unsafe metadata downgrade is not supported in this version.");
    EXPECT_EQ(update({{"metadata.version", 33, kUpgrade}}), "");
    EXPECT_EQ(level("metadata.version"), 33);
}

TEST_F(FeaturesTest, GoDownWhereNoMetadataIsLost) {
    const RecordValue version_29 =
        metadata::encode_record(protocol::FeatureLevelRecord{metadata::kMetadataVersion, 29});
    cluster_.append({version_29});
    EXPECT_EQ(update({{"metadata.version", 23, kSafe}}), "");
    EXPECT_EQ(level("metadata.version"), 23);
    EXPECT_NE(update({{"metadata.version", 22, kSafe}}), "");
    EXPECT_EQ(update({{"metadata.version", 31, kUpgrade}}), "");
}

TEST_F(FeaturesTest, AreChangedAllOrNone) {
    EXPECT_EQ(update({{"group.version", 0, kSafe}, {"share.version", 5, kUpgrade}}),
              "Invalid update version 5 for feature share.version. Local controller 100 only "
              "supports versions 0-2");
    EXPECT_EQ(level("group.version"), 1);
    EXPECT_EQ(update({{"group.version", 9, kSafe}, {"group.version", 0, kSafe}}), "")
        << "the last of a name counts";
    EXPECT_EQ(level("group.version"), 0);
    EXPECT_EQ(update({}), "");
}

TEST_F(FeaturesTest, AreOnlyCheckedWhenAskedTo) {
    const auto decision = cluster_.controller().update_features(
        {.updates = {{"group.version", 0, kSafe}}, .validate_only = true}, kKraftVersion);
    EXPECT_TRUE(decision.reply);
    EXPECT_TRUE(decision.records.empty());
}

TEST_F(FeaturesTest, WriteEligibleReplicasOnlyWhereTheirFieldsAre) {
    ASSERT_EQ(update({{"eligible.leader.replicas.version", 0, kSafe}}), "");
    cluster_.append(
        {metadata::encode_record(protocol::FeatureLevelRecord{metadata::kMetadataVersion, 22})});
    EXPECT_EQ(update({{"eligible.leader.replicas.version", 1, kUpgrade}}),
              "Invalid update version 1 for feature eligible.leader.replicas.version. "
              "eligible.leader.replicas.version could not be set to 1 because it depends on "
              "metadata.version=23 (4.0-IV1)");
    EXPECT_EQ(update({{"eligible.leader.replicas.version", 1, kUpgrade},
                      {"metadata.version", 23, kUpgrade}}),
              "")
        << "together they may";
}

TEST_F(FeaturesTest, LeaveTheVotersAlone) {
    EXPECT_EQ(update({{"kraft.version", 1, kUpgrade}}), "");
    EXPECT_EQ(update({{"kraft.version", 0, kSafe}}),
              "Invalid update version 0 for feature kraft.version. Can't downgrade the version of "
              "this feature.");
    EXPECT_FALSE(cluster_.controller()
                     .update_features({.updates = {{"kraft.version", 1, kUpgrade}}}, 0)
                     .reply);
    EXPECT_FALSE(cluster_.image().features->levels.contains("kraft.version"));
}

/// KIP-966: the minimum becomes the cluster's, in front of the level, and no broker's own.
TEST_F(FeaturesTest, SetTheClustersMinimumWithEligibleReplicas) {
    ASSERT_EQ(update({{"eligible.leader.replicas.version", 0, kSafe}}), "");
    const auto set = [&](const std::string& broker, ConfigOperation operation) {
        AlterConfigsRequest request;
        request.resources.push_back(
            {{metadata::ResourceType::broker, broker}, {{"min.insync.replicas", operation, "3"}}});
        const auto reply = cluster_.commit(cluster_.controller().alter_configs(request));
        ASSERT_EQ(reply.front().code, ErrorCode::none) << reply.front().why;
    };
    set("", ConfigOperation::remove);
    set("7", ConfigOperation::set);
    const auto value = [&](const std::string& broker) {
        const auto configs = cluster_.image().configs->find(metadata::ResourceType::broker, broker);
        const auto at = configs->find("min.insync.replicas");
        return at == configs->end() ? "none" : at->second;
    };
    ASSERT_EQ(value(""), "none");
    ASSERT_EQ(value("7"), "3");
    const auto validated = cluster_.controller().update_features(
        {.updates = {{"eligible.leader.replicas.version", 1, kUpgrade}}, .validate_only = true},
        kKraftVersion);
    EXPECT_TRUE(validated.records.empty());
    ASSERT_EQ(update({{"eligible.leader.replicas.version", 1, kUpgrade}}), "");
    EXPECT_EQ(value(""), "1");
    EXPECT_EQ(value("7"), "none");
}

}  // namespace
}  // namespace milena::controller

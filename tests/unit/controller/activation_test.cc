// SPDX-License-Identifier: Apache-2.0
// What a new leader writes first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

using namespace protocol;

std::vector<std::int16_t> types(const std::vector<RecordValue>& records) {
    std::vector<std::int16_t> result;
    for (const RecordValue& record : records) result.push_back(metadata::read_frame(record)->type);
    return result;
}

TEST(Activation, WritesTheFeaturesOfANewClusterInOneTransaction) {
    const Cluster cluster;
    constexpr auto kLevel = FeatureLevelRecord::kKey;
    EXPECT_THAT(
        types(cluster.log()),
        ::testing::ElementsAre(BeginTransactionRecord::kKey, kLevel, kLevel, kLevel, kLevel, kLevel,
                               kLevel, ConfigRecord::kKey, EndTransactionRecord::kKey));
    const auto image = cluster.replay();
    const std::map<std::string, std::int16_t, std::less<>> expected{
        {"metadata.version", 33}, {"eligible.leader.replicas.version", 1},
        {"group.version", 1},     {"share.version", 2},
        {"streams.version", 1},   {"transaction.version", 2}};
    EXPECT_EQ(image->features->levels, expected);
    EXPECT_EQ(image->configs->find(metadata::ResourceType::broker, "")->at("min.insync.replicas"),
              "1");
}

TEST(Activation, WritesWhatFormattingLeft) {
    Options options = Cluster::default_options();
    options.topic_defaults.min_insync_replicas = 2;
    sim::SeededRandom random(1);
    Controller controller(options, random);
    const std::vector<RecordValue> bootstrap{
        metadata::encode_record(FeatureLevelRecord{metadata::kMetadataVersion, 30}),
        metadata::encode_record(FeatureLevelRecord{"eligible.leader.replicas.version", 1}),
        metadata::encode_record(UserScramCredentialRecord{"admin", 2, {}, {}, {}, 4096})};
    const auto records = controller.activate(
        {.committed = metadata::Image::empty(), .bootstrap = bootstrap, .now = {}});
    ASSERT_TRUE(controller.apply(records, Offset(3), LeaderEpoch(1), {}));
    const metadata::Image& image = *controller.image();
    EXPECT_EQ(image.features->levels.size(), 2U);
    EXPECT_EQ(image.features->level(metadata::kMetadataVersion), 30);
    EXPECT_EQ(image.scram->by_user.size(), 1U);
    EXPECT_EQ(image.configs->find(metadata::ResourceType::broker, "")->at("min.insync.replicas"),
              "2");
    EXPECT_EQ(image.provenance.last_offset, Offset(8));
}

TEST(Activation, WritesNoTransactionWhereTheVersionHasNone) {
    sim::SeededRandom random(1);
    Controller controller(Cluster::default_options(), random);
    const std::vector<RecordValue> bootstrap{
        metadata::encode_record(FeatureLevelRecord{metadata::kMetadataVersion, 12})};
    const auto records = controller.activate(
        {.committed = metadata::Image::empty(), .bootstrap = bootstrap, .now = {}});
    EXPECT_EQ(records, bootstrap);
}

TEST(Activation, WritesNothingIntoALogThatHasItAll) {
    Cluster cluster;
    const std::size_t size = cluster.log().size();
    cluster.activate();
    EXPECT_EQ(cluster.log().size(), size);
}

TEST(Activation, MakesUpForAMissingMinimum) {
    Cluster cluster;
    cluster.append({metadata::encode_record(ConfigRecord{4, "", "min.insync.replicas", {}})});
    cluster.activate();
    EXPECT_EQ(cluster.image()
                  .configs->find(metadata::ResourceType::broker, "")
                  ->at("min.insync.replicas"),
              "1");
}

TEST(Activation, AbortsTheTransactionOfALostControllerAndBeginsAgain) {
    // It died in the middle of its first records.
    sim::SeededRandom random(1);
    Controller controller(Cluster::default_options(), random);
    const auto records = controller.activate({.committed = metadata::Image::empty(),
                                              .in_transaction = true,
                                              .bootstrap = {},
                                              .now = {}});
    EXPECT_EQ(types(records).front(), AbortTransactionRecord::kKey);
    ASSERT_TRUE(controller.apply(records, Offset(9), LeaderEpoch(2), {}));
    EXPECT_EQ(controller.image()->features->level(metadata::kMetadataVersion), 33);
}

}  // namespace
}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// Levels of features: what Kafka 4.4's kafka-features version-mapping said of two releases.
#include "text/feature_levels.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(FeatureLevels, MetadataVersionsHaveNames) {
    EXPECT_EQ(metadata_level("4.4-IV2"), 33);
    EXPECT_EQ(metadata_level("25"), 25);
    EXPECT_EQ(metadata_level("4.4"), std::nullopt);
    EXPECT_EQ(level_text("metadata.version", 7), "3.3-IV3");
    EXPECT_EQ(level_text("metadata.version", 99), "99");
    EXPECT_EQ(level_text("share.version", 7), "7");
}

TEST(FeatureLevels, AReleaseHasItsOwn) {
    EXPECT_EQ(release_levels(25), (FeatureLevels{{"metadata.version", 25},
                                                 {"kraft.version", 1},
                                                 {"transaction.version", 2},
                                                 {"group.version", 1},
                                                 {"eligible.leader.replicas.version", 0},
                                                 {"share.version", 0},
                                                 {"streams.version", 0}}));
    EXPECT_EQ(release_levels(33).at("share.version"), 2);
}

TEST(FeatureLevels, AreReadFromTheCommandLine) {
    EXPECT_EQ(parse_feature_levels({"share.version=1"}), (FeatureLevels{{"share.version", 1}}));
    EXPECT_EQ(parse_feature_levels({"x"}).error().why,
              "Can't parse feature=level string x: equals sign not found.");
    EXPECT_EQ(parse_feature_levels({"a=1", "a=2"}).error().why,
              "Feature a was specified more than once.");
    EXPECT_FALSE(parse_feature_levels({"a=b"}));
}

}  // namespace
}  // namespace milena::cli

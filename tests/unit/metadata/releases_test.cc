// SPDX-License-Identifier: Apache-2.0
// The table of releases against the table of features, and against what Kafka's kafka-storage
// version-mapping prints.
#include "milena/metadata/releases.h"

#include <gtest/gtest.h>

#include "milena/metadata/features.h"

namespace milena::metadata {
namespace {

TEST(Releases, ANewClusterBeginsWithTheNewestOfAll) {
    for (const auto& feature : supported_features()) {
        EXPECT_EQ(initial_level(feature.name, 33), feature.initial) << feature.name;
        EXPECT_EQ(initial_level(feature.name, 33), feature.range.max) << feature.name;
    }
}

TEST(Releases, EveryLevelHasOneName) {
    for (const auto& feature : supported_features()) {
        if (feature.name != kMetadataVersion) continue;
        for (std::int16_t level = feature.range.min; level <= feature.range.max; ++level)
            EXPECT_EQ(find_metadata_version(metadata_version_name(level)), level);
        EXPECT_EQ(metadata_version_name(static_cast<std::int16_t>(feature.range.max + 1)), "");
        EXPECT_EQ(metadata_version_name(static_cast<std::int16_t>(feature.range.min - 1)), "");
    }
}

TEST(Releases, AReleaseIsItsLastLevel) {
    EXPECT_EQ(find_metadata_version("4.4"), 33);
    EXPECT_EQ(find_metadata_version("4.0"), 25);
    EXPECT_EQ(find_metadata_version("4"), std::nullopt);
    EXPECT_EQ(find_metadata_version("9.9"), std::nullopt);
}

TEST(Releases, OlderOnesBeginWithLess) {
    EXPECT_EQ(initial_level(kKraftVersion, 21), 1);
    EXPECT_EQ(initial_level(kKraftVersion, 20), 0);
    EXPECT_EQ(initial_level("transaction.version", 21), 0);
    EXPECT_EQ(initial_level("share.version", 30), 1);
}

}  // namespace
}  // namespace milena::metadata

// SPDX-License-Identifier: Apache-2.0
// What kafka-configs reads and prints.
#include "cluster/config_changes.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using Added = std::map<std::string, std::string>;

TEST(ConfigChanges, BracketsHoldCommas) {
    const auto added = parse_added_configs("cleanup.policy=[compact,delete],retention.ms = 5");
    ASSERT_TRUE(added);
    EXPECT_EQ(*added, (Added{{"cleanup.policy", "compact,delete"}, {"retention.ms", "5"}}));
}

TEST(ConfigChanges, AValueMayBeEmpty) {
    EXPECT_EQ(parse_added_configs("a="), (Added{{"a", ""}}));
    EXPECT_EQ(parse_added_configs(""), Added());
}

TEST(ConfigChanges, AConfigHasOneEqualsSign) {
    EXPECT_FALSE(parse_added_configs("a"));
    EXPECT_FALSE(parse_added_configs("a=b=c"));
}

TEST(ConfigChanges, ALineHasTheSynonyms) {
    // As Kafka 4.4 printed it.
    const ConfigEntry entry{"segment.bytes",
                            "2000000",
                            ConfigSource::dynamic_topic,
                            false,
                            false,
                            {{"segment.bytes", "2000000", ConfigSource::dynamic_topic},
                             {"log.segment.bytes", "1073741824", ConfigSource::defaults}}};
    EXPECT_EQ(config_line(entry),
              "  segment.bytes=2000000 sensitive=false "
              "synonyms={DYNAMIC_TOPIC_CONFIG:segment.bytes=2000000, "
              "DEFAULT_CONFIG:log.segment.bytes=1073741824}\n");
    EXPECT_EQ(config_line({"x", std::nullopt, ConfigSource::defaults, true, false, {}}),
              "  x=null sensitive=true synonyms={}\n");
}

}  // namespace
}  // namespace milena::cli

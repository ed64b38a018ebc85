// SPDX-License-Identifier: Apache-2.0
// Names that are in the table, names that are not, and names that nearly are.
#include <gtest/gtest.h>

#include "milena/config/keys.h"

namespace milena::config {
namespace {

TEST(KeySearch, FindsWorkingAndIdleKeysAndNothingElse) {
    ASSERT_NE(find_broker_key("node.id"), nullptr);
    ASSERT_NE(find_broker_key("num.io.threads"), nullptr);
    EXPECT_EQ(find_broker_key("node.id")->name, "node.id");
    EXPECT_EQ(find_broker_key("zookeeper.connect"), nullptr);
    EXPECT_EQ(find_broker_key(""), nullptr);
    EXPECT_EQ(find_topic_key("retention.ms")->name, "retention.ms");
    EXPECT_EQ(find_topic_key("log.retention.ms"), nullptr);
}

TEST(KeySearch, GuessesTheKeyBehindASlip) {
    EXPECT_EQ(nearest_broker_key("log.segment.byte"), "log.segment.bytes");
    EXPECT_EQ(nearest_broker_key("advertised.listener"), "advertised.listeners");
    EXPECT_EQ(nearest_broker_key("nodeid"), "node.id");
}

TEST(KeySearch, DoesNotGuessWildly) {
    EXPECT_EQ(nearest_broker_key("zookeeper.connect"), std::nullopt);
    EXPECT_EQ(nearest_broker_key("x"), std::nullopt);
    EXPECT_EQ(nearest_broker_key(std::string(5000, 'a')), std::nullopt);
}

}  // namespace
}  // namespace milena::config

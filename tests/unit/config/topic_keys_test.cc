// SPDX-License-Identifier: Apache-2.0
// What must hold for every row of the table of topic keys.
#include <algorithm>

#include <gtest/gtest.h>

#include "key_table.h"
#include "topic_fields.h"

namespace milena::config {
namespace {

TEST(TopicKeys, AreSortedAndComplete) {
    EXPECT_TRUE(std::ranges::is_sorted(topic_keys(), std::ranges::less_equal{}, &TopicKey::name));
    EXPECT_EQ(topic_keys().size(), 38U);
}

TEST(TopicKeys, HaveDefaultsThatTheyAllowAndThatTopicConfigHas) {
    for (const TopicKey& key : topic_keys()) {
        if (!key.default_text) continue;
        const auto value = parse_value(key.type, key.allowed, *key.default_text);
        ASSERT_TRUE(value.has_value()) << key.name;
        TopicConfig config;
        set_topic_field(config, key.name, *value);
        EXPECT_EQ(config, TopicConfig{}) << key.name;
    }
}

TEST(TopicKeys, AgreeWithTheBrokerKeysThatGiveThemDefaults) {
    for (const TopicKey& key : topic_keys()) {
        for (const Synonym& synonym : key.synonyms) {
            const Key* const broker_key = find_broker_key(synonym.broker_key);
            ASSERT_NE(broker_key, nullptr) << synonym.broker_key;
            if (synonym.unit == Unit::same) {
                EXPECT_EQ(broker_key->type, key.type) << key.name;
            }
        }
    }
}

TEST(TopicKeys, ThatWorkAreDocumentedAndHaveAField) {
    for (const TopicKey& key : topic_keys()) {
        if (key.effect != Effect::works) continue;
        EXPECT_TRUE(key.doc.ends_with('.')) << key.name;
        EXPECT_TRUE(has_topic_field(key.name)) << key.name;
    }
}

}  // namespace
}  // namespace milena::config

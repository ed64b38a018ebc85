// SPDX-License-Identifier: Apache-2.0
// What must hold for every row of the table of broker keys, and the facts of Kafka 4.4 that it has
// to agree with.
#include "milena/config/keys.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "key_table.h"

namespace milena::config {
namespace {

TEST(Keys, AreSortedAndUnique) {
    // The search halves the tables, so their order is part of their meaning.
    EXPECT_TRUE(std::ranges::is_sorted(read_keys(), std::ranges::less_equal{}, &Key::name));
    EXPECT_TRUE(std::ranges::is_sorted(unread_keys(), std::ranges::less_equal{}, &Key::name));
    EXPECT_TRUE(std::ranges::is_sorted(security_keys(), std::ranges::less_equal{}, &Key::name));
    std::set<std::string_view> names;
    for (const Key* key : broker_keys()) EXPECT_TRUE(names.insert(key->name).second) << key->name;
}

TEST(Keys, AreAllThatKafkaKnowsAndOurOwn) {
    const auto own = std::ranges::count_if(
        broker_keys(), [](const Key* key) { return key->name.starts_with("milena."); });
    EXPECT_EQ(broker_keys().size() - static_cast<std::size_t>(own), 379U);
}

TEST(Keys, AllowTheirOwnDefaults) {
    for (const Key* key : broker_keys()) {
        if (!key->default_text) continue;
        EXPECT_TRUE(parse_value(key->type, key->allowed, *key->default_text).has_value())
            << key->name;
    }
}

TEST(Keys, ThatAreReadOrRefusedOrIdleAreDocumented) {
    for (const Key* key : broker_keys()) {
        if (key->effect == Effect::not_yet) continue;
        EXPECT_TRUE(key->doc.ends_with('.')) << key->name;
        EXPECT_LE(key->doc.size(), 100U) << key->name;
    }
}

TEST(Keys, HaveTheDefaultsOfKafka) {
    const auto default_of = [](std::string_view name) {
        const Key* const key = find_broker_key(name);
        return key != nullptr ? key->default_text : std::optional<std::string_view>("no such key");
    };
    EXPECT_EQ(default_of("log.segment.bytes"), "1073741824");
    EXPECT_EQ(default_of("message.max.bytes"), "1048588");
    EXPECT_EQ(default_of("socket.request.max.bytes"), "104857600");
    EXPECT_EQ(default_of("log.dirs"), std::nullopt);
    EXPECT_EQ(default_of("compression.type"), "producer");
}

TEST(Keys, IncludeTheSynonymsOfEveryTopicKey) {
    for (const TopicKey& key : topic_keys()) {
        for (const Synonym& synonym : key.synonyms) {
            EXPECT_NE(find_broker_key(synonym.broker_key), nullptr) << synonym.broker_key;
        }
    }
}

}  // namespace
}  // namespace milena::config

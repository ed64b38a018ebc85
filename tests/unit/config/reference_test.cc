// SPDX-License-Identifier: Apache-2.0
// The page as a whole: tests/cluster/test_reference.py compares it with the one in docs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "milena/config/keys.h"

namespace milena::config {
namespace {

using ::testing::HasSubstr;

TEST(Reference, HasARowForEachKey) {
    const std::string page = reference_page();
    for (const Key* const key : broker_keys())
        EXPECT_THAT(page, HasSubstr("\n| `" + std::string(key->name) + "` |"));
    for (const TopicKey& key : topic_keys())
        EXPECT_THAT(page, HasSubstr("\n| `" + std::string(key.name) + "` |"));
}

TEST(Reference, EveryKeySaysWhatItIsForInOneSentence) {
    const auto check = [](std::string_view name, std::string_view doc) {
        EXPECT_FALSE(doc.empty()) << name;
        EXPECT_TRUE(doc.ends_with('.')) << name;
        EXPECT_EQ(doc.find('|'), std::string_view::npos) << name;
        EXPECT_EQ(doc.find('\n'), std::string_view::npos) << name;
    };
    for (const Key* const key : broker_keys()) check(key->name, key->doc);
    for (const TopicKey& key : topic_keys()) check(key.name, key.doc);
}

TEST(Reference, TellsAValueThatIsEmptyFromNone) {
    const std::string page = reference_page();
    EXPECT_THAT(page, HasSubstr("| `cordoned.log.dirs` | list | empty |"));
    EXPECT_THAT(page, HasSubstr("| `broker.rack` | string |  |"));
}

}  // namespace
}  // namespace milena::config

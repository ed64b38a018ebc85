// SPDX-License-Identifier: Apache-2.0
// Names of partition directories.
#include <gtest/gtest.h>

#include "milena/storage/log_directory.h"

namespace milena::storage {
namespace {

TEST(TopicPartition, IsSplitAtTheLastDash) {
    const auto partition = TopicPartition::parse("a-1-22");
    ASSERT_TRUE(partition);
    EXPECT_EQ(partition->topic, "a-1");
    EXPECT_EQ(partition->partition, PartitionIndex(22));
    EXPECT_EQ(partition->text(), "a-1-22");
}

TEST(TopicPartition, NamesThatNoPartitionCanHaveAreNotParsed) {
    for (const std::string& name :
         {std::string("a"), std::string("-1"), std::string("a-"), std::string("a-x"),
          std::string("a--1"), std::string("a-01"), std::string("a-+1"), std::string("a/b-1"),
          std::string(".-1"), std::string("..-1"), std::string("a-2147483648"),
          std::string(250, 'a') + "-1"}) {
        EXPECT_EQ(TopicPartition::parse(name).has_value(), name == "a--1") << name;
    }
    EXPECT_TRUE(TopicPartition::parse(std::string(249, 'a') + "-2147483647"));
}

}  // namespace
}  // namespace milena::storage

// SPDX-License-Identifier: Apache-2.0
// The partitions that kafka-leader-election reads from a file.
#include "moves/elections.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(Elections, AFileNamesPartitions) {
    const auto partitions = parse_partitions_to_elect(
        R"({"partitions":[{"topic":"t","partition":1},{"topic":"a","partition":0}]})");
    ASSERT_TRUE(partitions);
    EXPECT_EQ(*partitions, (std::vector<TopicPartition>{{"t", 1}, {"a", 0}}));
}

TEST(Elections, AFileThatIsNoneIsRefused) {
    const auto why = [](std::string_view json) {
        return parse_partitions_to_elect(json).error().why;
    };
    EXPECT_EQ(why(""), "Replica election data is empty");
    EXPECT_EQ(why("{}"), "Replica election data is missing \"partitions\" field");
    EXPECT_EQ(why(R"({"partitions":[{"topic":"t"}]})"), "No such field exists: `partition`");
    EXPECT_EQ(why(R"({"partitions":[{"topic":"t","partition":1},{"topic":"t","partition":1}]})"),
              "Replica election data contains duplicate partitions: [t-1]");
}

TEST(Elections, ATypeHasTheNameOfTheTool) {
    EXPECT_EQ(name_of(ElectionType::preferred), "PREFERRED");
    EXPECT_EQ(name_of(ElectionType::unclean), "UNCLEAN");
}

}  // namespace
}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// Ranges, as Kafka's RangeAssignor deals them.
#include "membership/range_assignor.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using Assignments = std::map<std::string, Assigned>;

TEST(AssignRanges, GivesTheFirstMembersOneMore) {
    EXPECT_EQ(
        assign_ranges({{"b", "", {"t"}}, {"a", "", {"t"}}, {"c", "", {"t"}}}, {{"t", 7}}),
        (Assignments{{"a", {{"t", {0, 1, 2}}}}, {"b", {{"t", {3, 4}}}}, {"c", {{"t", {5, 6}}}}}));
}

TEST(AssignRanges, GivesNothingToThoseWhoAreTooMany) {
    EXPECT_EQ(assign_ranges({{"a", "", {"t"}}, {"b", "", {"t"}}}, {{"t", 1}}),
              (Assignments{{"a", {{"t", {0}}}}, {"b", {}}}));
}

TEST(AssignRanges, IsForThoseWhoSubscribe) {
    EXPECT_EQ(assign_ranges({{"a", "", {"t", "u"}}, {"b", "", {"u"}}, {"c", "", {"gone"}}},
                            {{"t", 2}, {"u", 2}}),
              (Assignments{{"a", {{"t", {0, 1}}, {"u", {0}}}}, {"b", {{"u", {1}}}}, {"c", {}}}));
}

TEST(AssignRanges, PutsStaticMembersFirstByTheirInstance) {
    EXPECT_EQ(assign_ranges({{"a", "", {"t"}}, {"y", "i2", {"t"}}, {"z", "i1", {"t"}}}, {{"t", 3}}),
              (Assignments{{"z", {{"t", {0}}}}, {"y", {{"t", {1}}}}, {"a", {{"t", {2}}}}}));
}

}  // namespace
}  // namespace milena::cli

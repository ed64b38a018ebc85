// SPDX-License-Identifier: Apache-2.0
// Aligned columns.
#include "text/table.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(Table, TabsFollowFilledCells) {
    EXPECT_EQ(tab_table({{"NodeId", "Lag"}, {"1", "12345"}}), "NodeId\tLag  \t\n1     \t12345\t\n");
}

TEST(Table, SpacesFillToTheWidths) {
    EXPECT_EQ(space_table({{"ID", "HOST"}, {"1", "localhost"}}, {4, 6}),
              "ID   HOST  \n1    localhost\n");
}

TEST(Table, AStringIsQuoted) {
    EXPECT_EQ(json_string("a\"b\\c"), R"("a\"b\\c")");
}

}  // namespace
}  // namespace milena::cli

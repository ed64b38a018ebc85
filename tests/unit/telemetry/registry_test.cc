// SPDX-License-Identifier: Apache-2.0
// Each source writes on the side that it was added to, also one that comes late.
#include "milena/telemetry/registry.h"

#include <gtest/gtest.h>

namespace milena::telemetry {
namespace {

constexpr Metric kOne{"one", Kind::gauge, "One."};
constexpr Metric kTwo{"two", Kind::gauge, "Two."};

TEST(Registry, SourcesWriteWhereTheyWereAdded) {
    Registry registry;
    registry.add_on_control([](Page& page) { page.add(kOne, 1); });
    Page before;
    registry.write_others(before);
    EXPECT_EQ(before.text(), "");
    registry.add([](Page& page) { page.add(kTwo, 2); });
    Page control;
    registry.write_control(control);
    EXPECT_EQ(control.text(), "# HELP one One.\n# TYPE one gauge\none 1\n");
    Page others;
    registry.write_others(others);
    EXPECT_EQ(others.text(), "# HELP two Two.\n# TYPE two gauge\ntwo 2\n");
}

}  // namespace
}  // namespace milena::telemetry

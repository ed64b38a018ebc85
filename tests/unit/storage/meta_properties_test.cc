// SPDX-License-Identifier: Apache-2.0
// meta.properties is read back as it was written, whatever its values hold.
#include "meta_properties.h"

#include <gtest/gtest.h>

namespace milena::storage {
namespace {

TEST(MetaPropertiesText, AValueMayHoldWhatWouldEndALineOrAKey) {
    // Each of these values ends in, or holds, a character that means something to the format.
    for (const std::string_view id : {"a\r", "a\rb", "\r", "\n", "a\\", "\\r", " a ", "=:#!", ""}) {
        SCOPED_TRACE(id);
        MetaProperties meta;
        meta.cluster_id = id;
        meta.node_id = BrokerId(7);
        const std::string text = format_meta_properties(meta, env::Timestamp(0));
        EXPECT_EQ(parse_meta_properties("f", text), meta);
    }
}

TEST(MetaPropertiesText, LinesEndAsJavaEndsThem) {
    // A line ends with LF, CR or both (java.util.Properties).
    const auto meta =
        parse_meta_properties("f", "version=1\r\ncluster.id=a\rnode.id=3\n#node.id=4\r\n");
    ASSERT_TRUE(meta);
    EXPECT_EQ(meta->cluster_id, "a");
    EXPECT_EQ(meta->node_id, BrokerId(3));
}

}  // namespace
}  // namespace milena::storage

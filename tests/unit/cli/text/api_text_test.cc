// SPDX-License-Identifier: Apache-2.0
// The APIs of a node, as kafka-broker-api-versions prints them.
#include "text/api_text.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using protocol::ApiVersionsResponse;

TEST(ApiText, ANodeHasItsRackAndState) {
    EXPECT_EQ(node_text({BrokerId(2), {"127.0.0.1", 39192}, "rack2"}),
              "127.0.0.1:39192 (id: 2 rack: rack2 isFenced: false)");
    EXPECT_EQ(node_text({BrokerId(1), {"h", 1}, {}}), "h:1 (id: 1 rack: null isFenced: false)");
}

TEST(ApiText, SaysWhichVersionsCanBeUsed) {
    ApiVersionsResponse answer;
    std::array<ApiVersionsResponse::ApiVersion, 5> keys;
    keys[0] = {0, 0, 13};
    keys[1] = {46, 0, 0};
    keys[2] = {1, 99, 100};
    keys[3] = {2, 0, 0};
    keys[4] = {999, 1, 2};
    answer.api_keys = keys;
    const std::string text = api_versions_text(answer);
    EXPECT_TRUE(
        text.starts_with("(\n\tProduce(0): 0 to 13 [usable: 13],\n"
                         "\tFetch(1): 99 to 100 [unusable: node too new],\n"
                         "\tListOffsets(2): 0 [unusable: node too old],\n"
                         "\tMetadata(3): UNSUPPORTED,\n"))
        << text;
    EXPECT_NE(text.find("\tListPartitionReassignments(46): 0 [usable: 0],\n"), std::string::npos);
    EXPECT_TRUE(text.ends_with(",\n\tUNKNOWN(999): 1 to 2\n)"));
}

}  // namespace
}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// The blobs that members exchange through the coordinator: bytes of the consumer protocol, version
// 1, and what is read of those of others.
#include "membership/member_requests.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> numbers) {
    std::vector<std::byte> result;
    for (const int number : numbers) result.push_back(static_cast<std::byte>(number));
    return result;
}

TEST(SubscriptionBlob, IsThatOfTheConsumerProtocol) {
    const auto blob = subscription_blob({"ab"});
    EXPECT_EQ(blob, bytes({0, 1,                    // version
                           0, 0, 0, 1,              // topics
                           0, 2, 'a', 'b',          //
                           0xff, 0xff, 0xff, 0xff,  // no user data
                           0, 0, 0, 0}));           // nothing owned
    EXPECT_EQ(parse_subscription(blob), (std::vector<std::string>{"ab"}));
}

TEST(AssignmentBlob, IsThatOfTheConsumerProtocol) {
    const Assigned assigned{{"t", {0, 2}}};
    const auto blob = assignment_blob(assigned);
    EXPECT_EQ(blob, bytes({0,    1,                            // version
                           0,    0,    0,    1,                // topics
                           0,    1,    't',                    //
                           0,    0,    0,    2,                // partitions
                           0,    0,    0,    0,   0, 0, 0, 2,  //
                           0xff, 0xff, 0xff, 0xff}));          // no user data
    EXPECT_EQ(parse_assignment(blob), assigned);
}

TEST(ParseAssignment, TakesEveryPrefixForNothing) {
    const auto blob = assignment_blob({{"t", {0}}});
    for (std::size_t size = 0; size < blob.size(); ++size)
        EXPECT_EQ(parse_assignment(BytesView(blob).first(size)), Assigned{}) << size;
    EXPECT_EQ(parse_assignment(bytes({0xff, 0xff, 0, 0, 0, 0})), Assigned{});
    EXPECT_EQ(parse_assignment(bytes({0, 1, 0x7f, 0xff, 0xff, 0xff})), Assigned{});
}

TEST(ParseAssignment, ReadsLaterVersionsAsTheLastItKnows) {
    EXPECT_EQ(parse_assignment(bytes({0, 9, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 2})),
              Assigned{});
}

}  // namespace
}  // namespace milena::cli

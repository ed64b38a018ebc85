// SPDX-License-Identifier: Apache-2.0
// What goes into the blob, and that answers without it are those that Kafka gives.
#include "groups/facts.h"

#include <gtest/gtest.h>

#include "milena/base/bytes.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/messages/consumer_group_describe.h"
#include "milena/protocol/messages/describe_groups.h"
#include "milena/protocol/messages/milena.h"

namespace milena::server {
namespace {

using coordinator::GroupFacts;

GroupFacts some_facts() {
    GroupFacts facts{.state_age_ms = 12'000};
    facts.rebalance =
        GroupFacts::Rebalance{.reason = {.cause = coordinator::RebalanceCause::member_joined,
                                         .member = {"m-1", "", "c", "/10.0.0.7"},
                                         .said = "scaling"},
                              .began_ago_ms = 12'000};
    facts.awaited.add({.member = {"m-2", "i", "c", "/10.0.0.8"}, .removed_in_ms = 48'000});
    facts.expiring = {{"open", 2, 5, 6}, {"secret", 1, 7, 7}};
    return facts;
}

TEST(FactsBlob, IsAMessageBehindItsVersion) {
    protocol::Arena arena;
    const BytesView blob =
        facts_blob(arena, some_facts(), [](std::string_view topic) { return topic != "secret"; });
    ASSERT_GE(blob.size(), sizeof(std::int16_t));
    EXPECT_EQ(load<std::int16_t>(blob.data()), 0);
    const auto read =
        protocol::decode<protocol::MilenaGroupFacts>(blob.subspan(sizeof(std::int16_t)), 0, arena);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->state_age_ms, 12'000);
    ASSERT_TRUE(read->rebalance);
    EXPECT_EQ(read->rebalance->cause, "member_joined");
    EXPECT_EQ(read->rebalance->caused_by.member_id, "m-1");
    EXPECT_EQ(read->rebalance->said, "scaling");
    EXPECT_EQ(read->rebalance->took_ms, -1);
    EXPECT_EQ(read->awaited_count, 1);
    ASSERT_EQ(read->awaited.size(), 1U);
    EXPECT_EQ(read->awaited[0].member.instance_id, "i");
    EXPECT_EQ(read->awaited[0].step, "join");
    EXPECT_EQ(read->awaited[0].removed_in_ms, 48'000);
    ASSERT_EQ(read->expiring.size(), 1U);
    EXPECT_EQ(read->expiring[0].topic_name, "open");
}

/// Without the field an answer is what Kafka's schema says, to the byte: the tag section behind the
/// group is empty. With it the section has one tag, and an old version drops it.
TEST(FactsBlob, CostsAnAnswerWithoutItNoByte) {
    std::vector<protocol::DescribeGroupsResponse::DescribedGroup> groups(1);
    groups[0].group_id = "g";
    protocol::DescribeGroupsResponse response;
    response.groups = groups;
    const auto plain = protocol::encode(response, 6);
    ASSERT_TRUE(plain);
    // throttle 4, count 1, code 2, no message 1, "g" 2, three empty texts 3, members 1, operations
    // 4
    EXPECT_EQ(plain->size(), 4U + 1 + 2 + 1 + 2 + 3 + 1 + 4 + 1 + 1);
    protocol::Arena arena;
    groups[0].milena_facts = facts_blob(arena, some_facts(), [](auto) { return true; });
    const auto with_facts = protocol::encode(response, 6);
    ASSERT_TRUE(with_facts);
    EXPECT_GT(with_facts->size(), plain->size() + groups[0].milena_facts.size());
    EXPECT_TRUE(protocol::encode(response, 4));
}

TEST(FactsBlob, IsAskedForByATagOfItsOwn) {
    protocol::ConsumerGroupDescribeRequest request;
    const auto plain = protocol::encode(request, 1);
    request.include_milena_facts = true;
    const auto asking = protocol::encode(request, 1);
    ASSERT_TRUE(plain && asking);
    // Tag 10000 as a varint, the size 1, and true.
    std::vector<std::byte> wanted(plain->begin(), plain->end() - 1);
    for (const int byte : {1, 0x90, 0x4e, 1, 1}) wanted.push_back(static_cast<std::byte>(byte));
    EXPECT_EQ(*asking, wanted);
}

}  // namespace
}  // namespace milena::server

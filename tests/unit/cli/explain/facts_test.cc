// SPDX-License-Identifier: Apache-2.0
// A blob as a broker writes it, one of a later version, and bytes that are none.
#include "explain/facts.h"

#include <gtest/gtest.h>

#include "milena/protocol/codec.h"
#include "milena/protocol/messages/milena.h"

namespace milena::cli {
namespace {

std::vector<std::byte> blob_of(std::int16_t version) {
    protocol::MilenaGroupFacts facts;
    facts.state_age_ms = 5;
    auto& rebalance = facts.rebalance.emplace();
    rebalance.cause = "member_left";
    rebalance.caused_by.client_host = "/h";
    rebalance.rounds = 2;
    std::vector<protocol::MilenaGroupFacts::AwaitedMember> awaited(1);
    awaited[0].member.member_id = "m";
    awaited[0].step = "join";
    facts.awaited = awaited;
    facts.awaited_count = 3;
    std::vector<protocol::MilenaGroupFacts::ExpiringTopic> expiring(1);
    expiring[0].topic_name = "t";
    expiring[0].last_in_ms = 9;
    facts.expiring = expiring;
    std::vector<std::byte> blob(sizeof version);
    store(blob.data(), version);
    EXPECT_TRUE(protocol::append(facts, 0, blob));
    return blob;
}

TEST(ParseFacts, ReadsWhatABrokerTells) {
    for (const std::int16_t version : {std::int16_t{0}, std::int16_t{3}}) {
        const auto facts = parse_facts(blob_of(version));
        ASSERT_TRUE(facts);
        EXPECT_EQ(facts->state_age_ms, 5);
        ASSERT_TRUE(facts->rebalance);
        EXPECT_EQ(facts->rebalance->cause, "member_left");
        EXPECT_EQ(facts->rebalance->by.host, "/h");
        EXPECT_EQ(facts->rebalance->rounds, 2);
        EXPECT_EQ(facts->rebalance->took_ms, -1);
        ASSERT_EQ(facts->awaited.size(), 1U);
        EXPECT_EQ(facts->awaited[0].member.id, "m");
        EXPECT_EQ(facts->awaited_count, 3U);
        ASSERT_EQ(facts->expiring.size(), 1U);
        EXPECT_EQ(facts->expiring[0].last_in_ms, 9);
    }
}

TEST(ParseFacts, TellsNothingOfWhatIsNone) {
    EXPECT_FALSE(parse_facts({}));
    const auto blob = blob_of(0);
    for (std::size_t size = 0; size < blob.size(); ++size)
        EXPECT_FALSE(parse_facts(BytesView(blob).first(size))) << size;
    EXPECT_FALSE(parse_facts(blob_of(-1)));
}

}  // namespace
}  // namespace milena::cli

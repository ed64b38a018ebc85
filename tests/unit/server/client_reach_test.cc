// SPDX-License-Identifier: Apache-2.0
// Who is taken for a client that never comes to where it was sent, and who is not.
#include "client_reach.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace milena::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr env::Instant kBegin = env::Instant(std::chrono::hours(1));

/// Whether one of `count` questions, `pause` apart, is noticed.
bool is_noticed(LeaderQuestions& questions, int count, env::Duration pause, bool may_create) {
    bool noticed = false;
    for (int i = 0; i < count; ++i)
        noticed = questions.asked(may_create, kBegin + i * pause) || noticed;
    return noticed;
}

TEST(LeaderQuestions, AProducerThatKeepsAskingIsNoticed) {
    LeaderQuestions questions;
    EXPECT_FALSE(questions.asked(true, kBegin));
    EXPECT_FALSE(questions.asked(true, kBegin + seconds(3)));
    EXPECT_TRUE(questions.asked(true, kBegin + seconds(6)));
    EXPECT_EQ(questions.count(), 3);
    EXPECT_FALSE(questions.asked(true, kBegin + seconds(9))) << "once is enough";
}

TEST(LeaderQuestions, OneThatIsJustStartingIsNot) {
    LeaderQuestions questions;
    EXPECT_FALSE(is_noticed(questions, 40, milliseconds(100), true))
        << "topics are made within five seconds";
}

TEST(LeaderQuestions, OthersHaveToAskOften) {
    LeaderQuestions few;
    EXPECT_FALSE(is_noticed(few, 9, seconds(2), false));
    LeaderQuestions many;
    EXPECT_TRUE(is_noticed(many, 10, seconds(2), false));
}

TEST(LeaderQuestions, WhoLooksNowAndThenIsNot) {
    LeaderQuestions questions;
    EXPECT_FALSE(is_noticed(questions, 100, seconds(31), true));
}

TEST(LeaderQuestions, WhoGoesOnToSomethingElseIsNot) {
    LeaderQuestions questions;
    for (int i = 0; i < 100; ++i) {
        EXPECT_FALSE(questions.asked(true, kBegin + i * seconds(5)));
        questions.went_on();
    }
}

TEST(ClientReach, TheSamePlaceHasTheSamePortAndHost) {
    EXPECT_TRUE(is_same_place({"10.0.0.5", 9092}, {"10.0.0.5", 9092}));
    EXPECT_FALSE(is_same_place({"10.0.0.5", 9092}, {"10.0.0.5", 9093}));
    EXPECT_FALSE(is_same_place({"10.0.0.5", 9092}, {"localhost", 9092}))
        << "a client on another machine goes to its own";
    EXPECT_TRUE(is_same_place({"127.0.0.1", 9092}, {"localhost", 9092}));
    EXPECT_FALSE(is_same_place({"127.0.0.1", 9092}, {"127.0.0.2", 9092}))
        << "nobody needs to listen there";
}

TEST(ClientReach, RequestsForTheBrokerThatIsNeededShowThatItWasReached) {
    EXPECT_FALSE(is_asked_of_any_broker(protocol::ApiKey::produce));
    EXPECT_FALSE(is_asked_of_any_broker(protocol::ApiKey::fetch));
    EXPECT_TRUE(is_asked_of_any_broker(protocol::ApiKey::metadata));
    EXPECT_TRUE(is_asked_of_any_broker(protocol::ApiKey::init_producer_id));
}

TEST(ReachedClients, AreKnownByAddressAndClientId) {
    ReachedClients reached;
    reached.note("10.0.0.1", "app");
    EXPECT_TRUE(reached.contains("10.0.0.1", "app"));
    EXPECT_FALSE(reached.contains("10.0.0.1", "other"));
    EXPECT_FALSE(reached.contains("10.0.0.2", "app"));
    EXPECT_FALSE(reached.contains("10.0.0.1a", "pp"));
}

TEST(ReachedClients, TheNewestStayHoweverManyCome) {
    ReachedClients reached;
    for (int i = 0; i < 100'000; ++i) {
        const std::string id = fmt::format("client-{}", i);
        reached.note("10.0.0.1", id);
        ASSERT_TRUE(reached.contains("10.0.0.1", id));
    }
    EXPECT_FALSE(reached.contains("10.0.0.1", "client-0"));
}

}  // namespace
}  // namespace milena::server

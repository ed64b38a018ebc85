// SPDX-License-Identifier: Apache-2.0
// Each sentence, and that it says what to do.
#include "explain/facts_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using testing::HasSubstr;

NamedMember member(std::string id) {
    return {.id = std::move(id), .instance_id = {}, .client_id = "app", .host = "/10.0.0.7"};
}

GroupFacts rebalanced(std::string cause, std::int64_t took_ms) {
    GroupFacts facts;
    facts.rebalance = GroupFacts::Rebalance{.cause = std::move(cause),
                                            .by = member("m-1"),
                                            .said = {},
                                            .began_ago_ms = 12'000,
                                            .took_ms = took_ms,
                                            .slowest = {}};
    return facts;
}

TEST(TimeText, IsAsExactAsOneReadsIt) {
    EXPECT_EQ(time_text(0), "0.0 s");
    EXPECT_EQ(time_text(1'260), "1.2 s");
    EXPECT_EQ(time_text(59'999), "59 s");
    EXPECT_EQ(time_text(120'000), "2 min");
    EXPECT_EQ(time_text(12'000'000), "3 h 20 min");
    EXPECT_EQ(time_text(7LL * 24 * 3'600'000 - 1), "6 d 23 h");
}

TEST(AgeText, SaysSinceWhen) {
    EXPECT_EQ(age_text({}), "");
    EXPECT_EQ(age_text({.state_age_ms = 300'000}), ", for 5 min now");
    EXPECT_EQ(age_text({.state_age_ms = 300'000, .is_since_take_over = true}),
              ", for at least 5 min, since its coordinator took over");
}

TEST(RebalanceText, SaysWhyAndWhatToDo) {
    EXPECT_EQ(rebalance_text({}), "");
    GroupFacts facts = rebalanced("member_joined", -1);
    facts.rebalance->said = "new\x1bpod";
    EXPECT_EQ(rebalance_text(facts),
              "Its rebalance has lasted for 12 s: m-1 at /10.0.0.7 (client app) joined "
              "(\"new?pod\"). Each coming and going makes the others stop; processes that only "
              "restart keep their places if each has a group.instance.id.\n");
    facts = rebalanced("session_timeout", 1'500);
    facts.rebalance->rounds = 4;
    facts.rebalance->slowest = member("m-2");
    facts.rebalance->slowest_ms = 1'400;
    EXPECT_EQ(rebalance_text(facts),
              "Its last rebalance began 12 s ago and took 1.5 s: m-1 at /10.0.0.7 (client app) was "
              "silent until its session had ended. 3 before it were broken off. The slowest was "
              "m-2 at /10.0.0.7, after 1.4 s. See whether its process lives and reaches the "
              "broker; if it only pauses, give it a longer session.timeout.ms.\n");
}

TEST(RebalanceText, KnowsAllCausesOfThisVersionAndNamesOthers) {
    for (const char* cause :
         {"member_joined", "member_left", "session_timeout", "rebalance_timeout",
          "subscription_changed", "leader_rejoined", "instance_returned", "topics_changed",
          "assignment_not_stored", "protocol_changed", "group_too_large"})
        EXPECT_THAT(rebalance_text(rebalanced(cause, 1)), Not(HasSubstr(cause)));
    EXPECT_THAT(rebalance_text(rebalanced("full_moon", 1)),
                HasSubstr("took 0.0 s: of full_moon. A later version of this tool"));
}

TEST(AwaitedText, NamesThemAndHowLongTheyAreWaitedFor) {
    EXPECT_EQ(awaited_text({}), "");
    GroupFacts facts;
    facts.awaited_count = 7;
    facts.awaited.push_back({.member = member("m-1"), .step = "join", .removed_in_ms = 48'000});
    EXPECT_EQ(
        awaited_text(facts),
        "It waits for m-1 at /10.0.0.7 (client app) to join again, for 48 s more at most; and "
        "for 6 more. A member that is busy with what it has read holds all others up. If that "
        "comes often, let it read less at once (max.poll.records).\n");
    facts.awaited_count = 1;
    facts.awaited.front() = {.member = member("m-1"), .step = "revoke"};
    facts.awaited.front().member.instance_id = "i";
    EXPECT_THAT(awaited_text(facts),
                HasSubstr("waits for i at /10.0.0.7 (client app) to give partitions up that others "
                          "are to have. It does when"));
    for (const char* step : {"come_with_id", "assign", "sync", "come_back"}) {
        facts.awaited.front().step = step;
        EXPECT_THAT(awaited_text(facts), Not(HasSubstr(step)));
    }
    facts.awaited.front().step = "heartbeat";
    EXPECT_THAT(awaited_text(facts), HasSubstr("(client app) to come for its assignment. "));
    facts.awaited.front().step = "dance";
    EXPECT_THAT(awaited_text(facts), HasSubstr("(client app) dance.\n"));
}

TEST(ExpiringText, SaysWhenOffsetsGoTheFirstOnesFirst) {
    EXPECT_EQ(expiring_text({}), "");
    GroupFacts facts;
    facts.expiring.push_back({"late", 3, 7LL * 24 * 3'600'000 - 1, 7LL * 24 * 3'600'000 - 1});
    facts.expiring.push_back({"soon", 1, 0, 0});
    facts.expiring.push_back({"apart", 2, 60'000, 600'000});
    EXPECT_EQ(
        expiring_text(facts),
        "Offsets that nobody uses expire: soon (1 partition) with the next check; apart (2 "
        "partitions), the first in 60 s, the last in 10 min; late (3 partitions) in 6 d 23 h. "
        "Start consumers of their topics before that to keep them; brokers keep unused "
        "offsets for offsets.retention.minutes.\n");
}

}  // namespace
}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// Delays of generations and departures of clients, by a clock that the test sets.
#include "group/classic/churn.h"

#include <gtest/gtest.h>

#include "group/classic/classic_group.h"

namespace milena::coordinator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr env::Duration kLongest = seconds(6);

env::Instant at_ms(std::int64_t ms) {
    return env::Instant{} + milliseconds(ms);
}

Member member(std::string client, std::optional<std::string> instance = {}) {
    Member out;
    out.id = client;
    out.client_id = std::move(client);
    out.client_host = "/h";
    out.instance_id = std::move(instance);
    return out;
}

/// Somebody comes, and the rebalance for it begins and ends as soon as it may.
std::int64_t rebalance(Churn& churn, std::int64_t now_ms) {
    churn.member_came();
    churn.rebalance_begins(at_ms(now_ms));
    const auto at = std::max(at_ms(now_ms), churn.next_generation_at(kLongest));
    churn.generation_begins(at);
    return std::chrono::duration_cast<milliseconds>(at - env::Instant{}).count();
}

TEST(Churn, GenerationsOfAStormAreFurtherApartWithEachOne) {
    Churn churn;
    std::vector<std::int64_t> begun;
    for (int i = 0; i < 9; ++i) begun.push_back(rebalance(churn, begun.empty() ? 0 : begun.back()));
    EXPECT_EQ(begun,
              (std::vector<std::int64_t>{0, 0, 500, 1500, 3500, 7500, 13'500, 19'500, 25'500}));
}

TEST(Churn, AMinuteOfAStormHasFourteenGenerationsAndEachLaterOneTen) {
    Churn churn;
    std::int64_t now = 0;
    std::vector<int> by_minute(3);
    while (true) {
        now = rebalance(churn, now);
        if (now >= 180'000) break;
        ++by_minute[static_cast<std::size_t>(now / 60'000)];
    }
    EXPECT_EQ(by_minute, (std::vector<int>{14, 10, 10}));
}

TEST(Churn, ACalmGroupWaitsForNobody) {
    Churn churn;
    std::int64_t now = 0;
    for (int i = 0; i < 6; ++i) now = rebalance(churn, now);
    EXPECT_EQ(churn.storm(), 6U);
    now += 15'000;
    EXPECT_EQ(rebalance(churn, now), now);
    EXPECT_EQ(churn.storm(), 1U);
    EXPECT_EQ(rebalance(churn, now), now);
}

TEST(Churn, ARebalanceForWhichNobodyCameOrWentWaitsForNobody) {
    Churn churn;
    std::int64_t now = 0;
    for (int i = 0; i < 6; ++i) now = rebalance(churn, now);
    churn.rebalance_begins(at_ms(now));
    EXPECT_LT(churn.next_generation_at(kLongest), at_ms(now));
    churn.generation_begins(at_ms(now));
    EXPECT_EQ(churn.storm(), 6U);
}

TEST(Churn, NobodyWaitsLongerThanAllowed) {
    Churn churn;
    std::int64_t now = 0;
    for (int i = 0; i < 60; ++i) now = rebalance(churn, now);
    churn.member_came();
    EXPECT_EQ(churn.next_generation_at(seconds(2)), at_ms(now + 2000));
    EXPECT_EQ(churn.next_generation_at(seconds(0)), at_ms(now));
}

TEST(Churn, AClientThatLeavesAgainAndAgainFlaps) {
    Churn churn;
    for (int i = 0; i < 3; ++i) churn.member_left(member("crashes"), at_ms(i * 10'000));
    for (int i = 0; i < 2; ++i) churn.member_left(member("restarts"), at_ms(30'000));
    for (int i = 0; i < 4; ++i) churn.member_left(member(std::to_string(i), "i"), at_ms(40'000));
    EXPECT_EQ(churn.flapping(at_ms(40'000)),
              (std::vector<FlappingClient>{{"3", "/h", "i", 4}, {"crashes", "/h", {}, 3}}));
    EXPECT_EQ(churn.flapping(at_ms(40'000 + 299'999)).size(), 1U);
    EXPECT_TRUE(churn.flapping(at_ms(40'000 + 300'000)).empty());
    churn.member_left(member("crashes"), at_ms(1'000'000));
    EXPECT_TRUE(churn.flapping(at_ms(1'000'000)).empty());
}

TEST(Churn, RemembersTheClientsThatLeftLast) {
    Churn churn;
    const std::string long_name(1000, 'c');
    for (int i = 0; i < 3; ++i) churn.member_left(member(long_name), at_ms(0));
    EXPECT_EQ(churn.flapping(at_ms(0)).at(0).client_id, long_name.substr(0, 255));
    for (int i = 0; i < 15; ++i) churn.member_left(member(std::to_string(i)), at_ms(1));
    EXPECT_EQ(churn.flapping(at_ms(1)).size(), 1U);
    churn.member_left(member("one more"), at_ms(1));
    EXPECT_TRUE(churn.flapping(at_ms(1)).empty());
}

}  // namespace
}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// When a member has a partition for sure: as long as nothing can have happened that it does not
// know of.
#include "sim/workload/holds.h"

#include <gtest/gtest.h>

namespace milena::sim {
namespace {

env::Instant at(int seconds) {
    return env::Instant(std::chrono::seconds(seconds));
}

class HoldsTest : public testing::Test {
protected:
    static Holds::Answer answer(int sent, int came, bool is_current = true) {
        return {.sent = at(sent), .came = at(came), .is_current = is_current};
    }
    void heartbeat(int sent, int came) { holds.answered(answer(sent, came)); }
    void given(const Holds::Partitions& all, int sent, int came, bool is_current = true) {
        holds.answered(answer(sent, came, is_current));
        holds.told(all, "a", answer(sent, came, is_current));
    }
    std::pair<env::Instant, env::Instant> last() const {
        return {history.holds.back().since, history.holds.back().until};
    }
    static std::pair<env::Instant, env::Instant> from_to(int since, int until) {
        return {at(since), at(until)};
    }

    GroupHistory history;
    Holds holds{history,
                {.session = std::chrono::seconds(3), .rebalance = std::chrono::seconds(4)}};
};

TEST_F(HoldsTest, FromTheAnswerUntilASessionAfterTheRequest) {
    given({0}, 10, 11);
    EXPECT_EQ(last(), from_to(11, 13));
    heartbeat(12, 13);
    EXPECT_EQ(last(), from_to(11, 15));
}

TEST_F(HoldsTest, AnAnswerThatComesTooLateGivesNothing) {
    given({0}, 10, 14);
    EXPECT_FALSE(history.holds.back().is_sure());
}

TEST_F(HoldsTest, WhatIsGivenUpIsNobodys) {
    given({0}, 10, 11);
    holds.give_up(0, at(12));
    heartbeat(13, 14);
    EXPECT_EQ(last(), from_to(11, 12));
}

TEST_F(HoldsTest, ARebalanceTimeoutAfterItIsWantedBackAllMayBeGone) {
    given({0, 1}, 10, 11);
    holds.wanted_back(at(12));
    heartbeat(15, 15);
    EXPECT_EQ(last(), from_to(11, 16));
    holds.give_up(0, at(15));
    holds.settled();
    heartbeat(16, 16);
    EXPECT_EQ(last(), from_to(11, 19));
}

TEST_F(HoldsTest, WhatWasReplacedKeepsNothing) {
    given({0}, 10, 11, false);
    EXPECT_FALSE(history.holds.back().is_sure());
    given({0}, 12, 12);
    EXPECT_EQ(last(), from_to(12, 15));
    holds.answered(answer(14, 14, false));
    EXPECT_EQ(last(), from_to(12, 15));
}

TEST_F(HoldsTest, AGhostTakesWhatItDoesNotName) {
    given({0, 1}, 10, 11);
    holds.ghost({1}, at(12));
    heartbeat(13, 13);
    ASSERT_EQ(history.holds.size(), 3U);
    EXPECT_EQ(history.holds[0].until, at(12));
    EXPECT_EQ(history.holds[1].until, at(16));
    EXPECT_FALSE(history.holds[2].is_sure());
}

TEST_F(HoldsTest, WhatAGhostHauntsIsSureWhenItIsToldAfterItsEnd) {
    holds.ghost({}, at(1));
    given({0}, 20, 20);
    EXPECT_FALSE(history.holds.back().is_sure());
    heartbeat(27, 27);
    EXPECT_FALSE(history.holds.back().is_sure());
    given({0}, 28, 28);
    EXPECT_EQ(last(), from_to(28, 31));
}

TEST_F(HoldsTest, AnotherLifeHasNoGhosts) {
    holds.ghost({}, at(1));
    holds.forget_ghosts();
    given({0}, 2, 2);
    EXPECT_EQ(last(), from_to(2, 5));
}

}  // namespace
}  // namespace milena::sim

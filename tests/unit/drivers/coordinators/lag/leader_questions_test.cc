// SPDX-License-Identifier: Apache-2.0
// What a leader is asked, round for round.
#include "coordinators/lag/leader_questions.h"

#include <gtest/gtest.h>

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;

constexpr env::Instant kNow{1h};

std::vector<PartitionIndex> partitions(std::int32_t from, std::int32_t end) {
    std::vector<PartitionIndex> all;
    for (std::int32_t i = from; i < end; ++i) all.emplace_back(i);
    return all;
}

AskedEnds ends(std::string topic, std::int32_t from, std::int32_t end) {
    return {std::move(topic), Uuid{1, 1}, partitions(from, end)};
}

using All = std::vector<AskedEnds>;

TEST(LeaderQuestions, AllIsAskedAtOnceIfItIsNotTooMuch) {
    LeaderQuestions questions(10);
    const All all{ends("a", 0, 4), ends("b", 0, 6)};
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(questions.next(all, kNow), all);
        questions.answered();
    }
    EXPECT_EQ(questions.next({}, kNow), All());
    EXPECT_FALSE(questions.is_asking());
}

TEST(LeaderQuestions, OneRequestIsUnderWayAtATime) {
    LeaderQuestions questions(10);
    const All all{ends("a", 0, 4)};
    EXPECT_FALSE(questions.next(all, kNow).empty());
    EXPECT_TRUE(questions.next(all, kNow + 1h).empty());
    questions.answered();
    EXPECT_FALSE(questions.next(all, kNow).empty());
}

TEST(LeaderQuestions, EachRequestGoesOnWhereTheLastOneHadToStop) {
    LeaderQuestions questions(5);
    const All all{ends("a", 0, 4), ends("b", 0, 4), ends("c", 0, 1)};
    const auto next = [&] {
        auto asked = questions.next(all, kNow);
        questions.answered();
        return asked;
    };
    EXPECT_EQ(next(), (All{ends("a", 0, 4), ends("b", 0, 1)}));
    EXPECT_EQ(next(), (All{ends("b", 1, 4), ends("c", 0, 1), ends("a", 0, 1)}));
    EXPECT_EQ(next(), (All{ends("a", 1, 4), ends("b", 0, 2)}));
    EXPECT_EQ(next(), (All{ends("b", 2, 4), ends("c", 0, 1), ends("a", 0, 2)}));
}

TEST(LeaderQuestions, NoPartitionIsNamedTwiceInARequest) {
    LeaderQuestions questions(5);
    const All many{ends("a", 0, 7)};
    EXPECT_EQ(questions.next(many, kNow), All{ends("a", 0, 5)});
    questions.answered();
    const All few{ends("a", 3, 7)};
    EXPECT_EQ(questions.next(few, kNow), (All{ends("a", 5, 7), ends("a", 3, 5)}));
}

TEST(LeaderQuestions, WhatItHadStoppedAtMayBeGone) {
    LeaderQuestions questions(2);
    EXPECT_EQ(questions.next({ends("a", 0, 1), ends("b", 0, 3)}, kNow),
              (All{ends("a", 0, 1), ends("b", 0, 1)}));
    questions.answered();
    EXPECT_EQ(questions.next({ends("a", 0, 1)}, kNow), All{ends("a", 0, 1)});
}

TEST(LeaderQuestions, PausesGrowWhileItDoesNotAnswer) {
    LeaderQuestions questions;
    const All all{ends("a", 0, 4)};
    env::Instant now = kNow;
    for (const env::Duration pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
        EXPECT_FALSE(questions.next(all, now).empty());
        EXPECT_EQ(questions.failed(now), pause == 1s) << "it is told once";
        EXPECT_TRUE(questions.next(all, now + pause - 1ms).empty());
        now += pause;
    }
    EXPECT_FALSE(questions.next(all, now).empty());
    questions.answered();
    EXPECT_FALSE(questions.next(all, now).empty());
    EXPECT_TRUE(questions.failed(now));
}

}  // namespace
}  // namespace milena::drivers

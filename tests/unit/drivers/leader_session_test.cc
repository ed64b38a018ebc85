// SPDX-License-Identifier: Apache-2.0
// What a follower's fetch session says to the leader, step by step, with plans that the test makes.
#include "fetch/leader_session.h"

#include <gtest/gtest.h>

namespace milena::drivers {
namespace {

using std::chrono::milliseconds;

PartitionKey key(int number) {
    return {Uuid{7, 7}, PartitionIndex(number)};
}

class LeaderSessionTest : public testing::Test {
protected:
    LeaderSession::Request next() {
        return session_.next(now_, [this](const PartitionKey& of) { return plan_of(of); });
    }
    std::optional<replication::FetchPlan> plan_of(const PartitionKey& of) {
        ++asked_for_plans_;
        const auto found = ends_.find(of);
        if (found == ends_.end()) return std::nullopt;
        return replication::FetchPlan{BrokerId(1), Offset(found->second), LeaderEpoch(1),
                                      LeaderEpoch(0), Offset(0)};
    }
    /// "0@5 1@0 -2": asked from an offset, and forgotten.
    static std::string text(const LeaderSession::Request& request) {
        std::string text;
        for (const auto& [of, plan] : request.asks)
            text += fmt::format("{}@{} ", of.partition, plan.from);
        for (const auto& of : request.forgotten) text += fmt::format("-{} ", of.partition);
        if (!text.empty()) text.pop_back();
        return text;
    }
    void open(std::initializer_list<int> numbers) {
        for (const int number : numbers) {
            ends_[key(number)] = 0;
            session_.follow(key(number));
        }
        next();
        session_.answered(44);
    }

    LeaderSession session_{milliseconds(20), milliseconds(50)};
    env::Instant now_{};
    std::map<PartitionKey, std::int64_t> ends_;
    int asked_for_plans_ = 0;
};

TEST_F(LeaderSessionTest, DoesNotWaitForNewsWhileItOpensUnlessThatIsRefused) {
    ends_[key(0)] = 0;
    session_.follow(key(0));
    EXPECT_FALSE(next().may_wait) << "what is followed meanwhile it could not name";
    session_.answered(44);
    EXPECT_TRUE(next().may_wait);
    session_.reset();
    EXPECT_FALSE(next().may_wait);
    session_.answered(0);
    EXPECT_TRUE(next().may_wait) << "or it would be asked without a pause";
}

TEST_F(LeaderSessionTest, OpensWithAllAndThenNamesWhatHasChanged) {
    ends_ = {{key(0), 5}, {key(1), 0}};
    session_.follow(key(0));
    session_.follow(key(1));
    const auto first = next();
    EXPECT_EQ(first.session_id, 0);
    EXPECT_EQ(first.session_epoch, 0);
    EXPECT_EQ(text(first), "0@5 1@0");
    EXPECT_EQ(first.partitions, 2U);
    session_.answered(44);

    ends_[key(1)] = 3;
    session_.took(key(1));
    session_.took(key(0));  // no records: its plan is the same
    const auto second = next();
    EXPECT_EQ(second.session_id, 44);
    EXPECT_EQ(second.session_epoch, 1);
    EXPECT_EQ(text(second), "1@3");
    EXPECT_EQ(second.partitions, 2U);
    session_.answered(44);
    EXPECT_EQ(next().session_epoch, 2);
}

TEST_F(LeaderSessionTest, ARequestCostsWhatHasChanged) {
    for (int i = 0; i < 1000; ++i) {
        ends_[key(i)] = 0;
        session_.follow(key(i));
    }
    next();
    session_.answered(44);
    asked_for_plans_ = 0;
    ends_[key(500)] = 1;
    session_.took(key(500));
    EXPECT_EQ(text(next()), "500@1");
    EXPECT_EQ(asked_for_plans_, 1);
}

TEST_F(LeaderSessionTest, ForgetsWhatIsFollowedNoMore) {
    open({0, 1, 2});
    session_.unfollow(key(1));
    ends_.erase(key(2));  // it leads itself by now
    session_.took(key(2));
    const auto request = next();
    EXPECT_EQ(text(request), "-1 -2");
    EXPECT_EQ(request.partitions, 1U);
    session_.answered(44);
    EXPECT_EQ(session_.asked(key(2)), nullptr);
    session_.follow(key(1));
    EXPECT_EQ(text(next()), "1@0");
}

TEST_F(LeaderSessionTest, WhatComesBackBeforeItWasForgottenIsAskedForAgain) {
    open({0, 1});
    session_.unfollow(key(1));
    session_.follow(key(1));
    const auto request = next();
    EXPECT_EQ(text(request), "1@0");
    EXPECT_EQ(request.partitions, 2U);
}

TEST_F(LeaderSessionTest, HoldsBackLongerEachTimeAndThenTriesAgain) {
    open({0, 1});
    session_.hold_back(key(1), now_);
    EXPECT_EQ(text(next()), "-1");
    session_.answered(44);
    EXPECT_EQ(session_.next_due(), now_ + milliseconds(20));
    EXPECT_EQ(text(next()), "");
    now_ += milliseconds(20);
    EXPECT_EQ(text(next()), "1@0");
    session_.answered(44);
    session_.hold_back(key(1), now_);
    EXPECT_EQ(session_.next_due(), now_ + milliseconds(40));
    next();
    session_.hold_back(key(1), now_);
    EXPECT_EQ(session_.next_due(), now_ + milliseconds(50));
    session_.follow(key(1));  // another leadership is another matter
    EXPECT_EQ(text(next()), "1@0");
}

TEST_F(LeaderSessionTest, AfterALossAllIsSaidAgain) {
    open({0, 1});
    session_.unfollow(key(0));
    session_.reset();
    const auto request = next();
    EXPECT_EQ(request.session_id, 44) << "so that the leader need not keep it";
    EXPECT_EQ(request.session_epoch, 0);
    EXPECT_EQ(text(request), "1@0");
}

TEST_F(LeaderSessionTest, ALeaderThatGrantsNoSessionIsToldAllEachTime) {
    ends_ = {{key(0), 0}, {key(1), 0}};
    session_.follow(key(0));
    session_.follow(key(1));
    next();
    session_.answered(0);
    const auto request = next();
    EXPECT_EQ(request.session_epoch, 0);
    EXPECT_EQ(text(request), "0@0 1@0");
}

TEST_F(LeaderSessionTest, ThoseThatAreHeldBackLeaveTheSessionAndComeBack) {
    open({0, 1, 2});
    session_.hold_back_those(now_, [](const PartitionKey& of) { return of != key(1); });
    EXPECT_EQ(text(next()), "-0 -2");
    EXPECT_EQ(session_.asked(key(0)), nullptr);
    // What is not in the session is not held back once more.
    session_.hold_back_those(now_, [](const PartitionKey& of) { return of != key(1); });
    EXPECT_EQ(session_.next_due(), now_ + milliseconds(20));
    now_ += milliseconds(20);
    EXPECT_EQ(text(next()), "0@0 2@0");
}

}  // namespace
}  // namespace milena::drivers

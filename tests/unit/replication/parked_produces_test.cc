// SPDX-License-Identifier: Apache-2.0
// The queue of produces that wait for the high watermark.
#include "core/parked_produces.h"

#include <gtest/gtest.h>

#include "core_script.h"

namespace milena::replication {
namespace {

std::vector<Completion> successes(std::initializer_list<std::uint64_t> tickets) {
    std::vector<Completion> all;
    for (const std::uint64_t ticket : tickets) all.push_back({ticket, ErrorCode::none});
    return all;
}

TEST(ParkedProduces, PopsWhatTheHighWatermarkReachedInOrder) {
    ParkedProduces parked;
    parked.park({Offset(3), at(30), 7});
    parked.park({Offset(5), at(30), 8});
    parked.park({Offset(9), at(30), 9});
    std::vector<Completion> completed;
    parked.pop_reached(Offset(2), completed);
    EXPECT_TRUE(completed.empty());
    parked.pop_reached(Offset(5), completed);
    EXPECT_EQ(completed, successes({7, 8}));
    EXPECT_EQ(parked.size(), 1u);
}

TEST(ParkedProduces, PutsADuplicateBeforeThoseThatWaitForMore) {
    // The duplicate of an early batch waits for the offset that its batch got the first time.
    ParkedProduces parked;
    parked.park({Offset(5), at(30), 1});
    parked.park({Offset(9), at(30), 2});
    parked.park({Offset(5), at(30), 3});
    std::vector<Completion> completed;
    parked.pop_reached(Offset(5), completed);
    EXPECT_EQ(completed, successes({1, 3}));
}

TEST(ParkedProduces, ExpiresOutOfOrderAndKnowsTheNextDeadline) {
    ParkedProduces parked;
    EXPECT_EQ(parked.next_deadline(), env::kNever);
    parked.park({Offset(3), at(30), 1});
    parked.park({Offset(5), at(10), 2});
    parked.park({Offset(9), at(20), 3});
    EXPECT_EQ(parked.next_deadline(), at(10));
    std::vector<Completion> completed;
    parked.pop_expired(at(9), ErrorCode::request_timed_out, completed);
    EXPECT_TRUE(completed.empty());
    parked.pop_expired(at(10), ErrorCode::request_timed_out, completed);
    EXPECT_EQ(completed, (std::vector<Completion>{{2, ErrorCode::request_timed_out}}));
    EXPECT_EQ(parked.next_deadline(), at(20));
    completed.clear();
    parked.pop_reached(Offset(9), completed);
    EXPECT_EQ(completed, successes({1, 3}));
    EXPECT_EQ(parked.next_deadline(), env::kNever);
}

TEST(ParkedProduces, ForgetsTheDeadlinesOfAQueueThatEmptied) {
    ParkedProduces parked;
    std::vector<Completion> completed;
    parked.park({Offset(1), at(5), 1});
    parked.pop_reached(Offset(1), completed);
    parked.park({Offset(2), at(50), 2});
    EXPECT_EQ(parked.next_deadline(), at(50));
}

TEST(ParkedProduces, KeepsOrderWhileFrontsComeAndGo) {
    // Ten thousand wait at most a hundred at a time: the queue compacts behind its front, and loses
    // none.
    ParkedProduces parked;
    std::vector<Completion> completed;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        parked.park({Offset(static_cast<std::int64_t>(i) + 1), at(30), i});
        if (i >= 100) parked.pop_reached(Offset(static_cast<std::int64_t>(i) - 99), completed);
    }
    ASSERT_EQ(completed.size(), 9'900u);
    for (std::uint64_t i = 0; i < completed.size(); ++i) ASSERT_EQ(completed[i].ticket, i);
    EXPECT_EQ(parked.size(), 100u);
}

TEST(ParkedProduces, IsFullAtItsBound) {
    ParkedProduces parked;
    for (std::uint64_t i = 0; i < ParkedProduces::kParkedMax; ++i)
        parked.park({Offset(1), at(30), i});
    EXPECT_TRUE(parked.full());
    std::vector<Completion> completed;
    parked.pop_all(ErrorCode::not_leader_or_follower, completed);
    EXPECT_EQ(completed.size(), ParkedProduces::kParkedMax);
    EXPECT_FALSE(parked.full());
}

}  // namespace
}  // namespace milena::replication

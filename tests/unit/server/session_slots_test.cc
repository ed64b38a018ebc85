// SPDX-License-Identifier: Apache-2.0
// Who gets a slot, and from whom. The rules are those of Apache Kafka's FetchSessionCache.
#include "fetch/session_slots.h"

#include <gtest/gtest.h>

namespace milena::server {
namespace {

using namespace std::chrono_literals;

class SessionSlotsTest : public testing::Test {
protected:
    enum Who { consumer, follower };

    bool admit(std::int32_t id, Who who, std::size_t partitions, env::Duration at = 0s) {
        std::vector<std::shared_ptr<FetchSession>> evicted;
        return slots.admit({id, who == follower, partitions, nullptr}, env::Instant(at), evicted);
    }
    bool can_touch(std::int32_t id, std::size_t partitions, env::Duration at) {
        std::vector<std::shared_ptr<FetchSession>> evicted;
        return slots.touch(id, partitions, env::Instant(at), evicted);
    }
    void touch(std::int32_t id, std::size_t partitions, env::Duration at) {
        EXPECT_TRUE(can_touch(id, partitions, at));
    }
    std::vector<std::int32_t> kept() const {
        std::vector<std::int32_t> out;
        for (std::int32_t id = 1; id < 10; ++id) {
            if (slots.contains(id)) out.push_back(id);
        }
        return out;
    }
    using Ids = std::vector<std::int32_t>;

    SessionSlots slots{2};
};

TEST_F(SessionSlotsTest, AYoungSessionStaysWhateverANewOneIsWorth) {
    EXPECT_TRUE(admit(1, consumer, 1));
    EXPECT_TRUE(admit(2, consumer, 1));
    EXPECT_FALSE(admit(3, consumer, 100, 119s));
    EXPECT_EQ(kept(), (Ids{1, 2}));
}

TEST_F(SessionSlotsTest, AFollowerTakesTheSlotOfTheSmallestConsumerAtOnce) {
    admit(1, consumer, 9);
    admit(2, consumer, 5);
    EXPECT_TRUE(admit(3, follower, 1));
    EXPECT_EQ(kept(), (Ids{1, 3}));
    EXPECT_TRUE(admit(4, follower, 1));
    EXPECT_FALSE(admit(5, follower, 100)) << "followers that are young do not yield";
    EXPECT_EQ(kept(), (Ids{3, 4}));
    EXPECT_EQ(slots.evictions(), 2U);
}

TEST_F(SessionSlotsTest, WhoeverIsUnusedForTwoMinutesYieldsToAnybody) {
    admit(1, follower, 100);
    admit(2, consumer, 100, 10s);
    touch(1, 100, 20s);
    EXPECT_FALSE(admit(3, consumer, 1, 130s));
    EXPECT_TRUE(admit(3, consumer, 1, 131s));
    EXPECT_EQ(kept(), (Ids{1, 3}));
}

TEST_F(SessionSlotsTest, AnOldOneInUseYieldsToALargerOne) {
    admit(1, consumer, 10);
    admit(2, consumer, 20);
    touch(1, 10, 121s);
    touch(2, 20, 121s);
    EXPECT_FALSE(admit(3, consumer, 9, 122s));
    EXPECT_TRUE(admit(4, consumer, 11, 122s));
    EXPECT_EQ(kept(), (Ids{2, 4}));
}

TEST_F(SessionSlotsTest, AnOldFollowerYieldsToALargerFollowerOnly) {
    admit(1, follower, 10);
    admit(2, follower, 20);
    touch(1, 10, 121s);
    touch(2, 20, 121s);
    EXPECT_FALSE(admit(3, consumer, 1000, 122s));
    EXPECT_TRUE(admit(4, follower, 11, 122s));
    EXPECT_EQ(kept(), (Ids{2, 4}));
}

TEST_F(SessionSlotsTest, ASessionIsWorthWhatItHasNow) {
    admit(1, consumer, 10);
    admit(2, consumer, 20);
    touch(1, 30, 121s);
    touch(2, 20, 121s);
    EXPECT_TRUE(admit(3, consumer, 25, 122s));
    EXPECT_EQ(kept(), (Ids{1, 3}));
    EXPECT_EQ(slots.partitions(), 55U);
}

TEST_F(SessionSlotsTest, OneThatHasGoneLeavesItsSlot) {
    admit(1, consumer, 1);
    admit(2, consumer, 1);
    slots.remove(1);
    slots.remove(1);
    EXPECT_EQ(slots.evictions(), 0U);
    EXPECT_TRUE(admit(3, consumer, 1));
    EXPECT_EQ(slots.partitions(), 2U);
}

TEST_F(SessionSlotsTest, AllTogetherHoldABoundedNumberOfPartitions) {
    EXPECT_TRUE(admit(1, consumer, SessionSlots::kPartitionsMax - 5));
    EXPECT_FALSE(admit(2, consumer, 6));
    EXPECT_TRUE(admit(2, consumer, 5));
    EXPECT_FALSE(can_touch(2, 6, 1s));
}

TEST_F(SessionSlotsTest, OneThatGrowsTakesTheRoomOfThoseThatAreWorthLess) {
    constexpr std::size_t kHalf = SessionSlots::kPartitionsMax / 2;
    admit(1, consumer, kHalf);
    admit(2, consumer, kHalf, 1s);
    EXPECT_FALSE(can_touch(2, kHalf + 1, 100s)) << "the other is young";
    touch(2, kHalf, 101s);
    touch(2, kHalf + 1, 122s);  // the other was not used for two minutes
    EXPECT_EQ(kept(), Ids{2});
    EXPECT_EQ(slots.partitions(), kHalf + 1);
    EXPECT_EQ(slots.evictions(), 1U);
    EXPECT_FALSE(can_touch(2, SessionSlots::kPartitionsMax + 1, 130s)) << "it alone is too large";
}

TEST_F(SessionSlotsTest, AFollowerThatGrowsTakesThePartitionsOfTheLargestConsumer) {
    admit(1, follower, 10);
    admit(2, consumer, SessionSlots::kPartitionsMax - 10);
    touch(1, 11, 1s);
    EXPECT_EQ(kept(), Ids{1});
}

TEST_F(SessionSlotsTest, NobodyGoesForOneThatStillHasNoRoomThen) {
    admit(1, consumer, 10);
    admit(2, follower, SessionSlots::kPartitionsMax - 10);
    EXPECT_FALSE(admit(3, follower, 11)) << "the other follower is young";
    EXPECT_EQ(kept(), (Ids{1, 2}));
    EXPECT_EQ(slots.evictions(), 0U);
    EXPECT_TRUE(admit(3, follower, 10));
    EXPECT_EQ(kept(), (Ids{2, 3}));
}

TEST_F(SessionSlotsTest, WhoHoldsAllPartitionsWithoutUseYieldsThemToAnybody) {
    admit(1, consumer, SessionSlots::kPartitionsMax);
    EXPECT_FALSE(admit(2, consumer, 1, 120s));
    EXPECT_TRUE(admit(2, consumer, 1, 121s));
    EXPECT_EQ(kept(), Ids{2});
    EXPECT_EQ(slots.partitions(), 1U);
}

TEST_F(SessionSlotsTest, AFollowerTakesThePartitionsOfTheLargestConsumerAtOnce) {
    admit(1, consumer, 1);
    admit(2, consumer, SessionSlots::kPartitionsMax - 1);
    EXPECT_TRUE(admit(3, follower, 10));
    EXPECT_EQ(kept(), (Ids{1, 3}));
    EXPECT_FALSE(admit(4, follower, SessionSlots::kPartitionsMax)) << "followers do not yield";
    EXPECT_TRUE(slots.contains(3));
}

TEST_F(SessionSlotsTest, AnOldConsumerInUseYieldsItsPartitionsToASmallerOne) {
    admit(1, consumer, SessionSlots::kPartitionsMax);
    touch(1, SessionSlots::kPartitionsMax, 121s);
    EXPECT_FALSE(admit(2, consumer, SessionSlots::kPartitionsMax, 122s));
    EXPECT_TRUE(admit(2, consumer, 7, 122s));
    EXPECT_EQ(kept(), Ids{2});
}

TEST_F(SessionSlotsTest, WithoutSlotsNobodyGetsOne) {
    SessionSlots none(0);
    std::vector<std::shared_ptr<FetchSession>> evicted;
    EXPECT_FALSE(none.admit({1, true, 1, nullptr}, env::Instant(), evicted));
}

}  // namespace
}  // namespace milena::server

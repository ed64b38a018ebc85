// SPDX-License-Identifier: Apache-2.0
// For how long it is undecided who leads in a lost broker's place.
#include "milena/server/lost_leaders.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::server {
namespace {

using namespace std::chrono_literals;
using Brokers = std::vector<BrokerId>;

class LostLeadersTest : public testing::Test {
protected:
    sim::World world{1};
    LostLeaders lost{world.add_node("n").clock()};
};

TEST_F(LostLeadersTest, NobodyIsUndecidedAtFirst) {
    EXPECT_EQ(lost.undecided(), Brokers());
}

TEST_F(LostLeadersTest, WhoeverWasLostIsUndecidedForATime) {
    lost.lost(BrokerId(2));
    world.run_for(LostLeaders::kUndecided - 1ms);
    EXPECT_EQ(lost.undecided(), Brokers{BrokerId(2)});
    world.run_for(1ms);
    EXPECT_EQ(lost.undecided(), Brokers());
}

TEST_F(LostLeadersTest, TriesThatFailTooDoNotMakeItLonger) {
    lost.lost(BrokerId(2));
    world.run_for(400ms);
    lost.lost(BrokerId(2));
    world.run_for(100ms);
    EXPECT_EQ(lost.undecided(), Brokers());
}

TEST_F(LostLeadersTest, WhoeverAnswersIsFoundAndMayBeLostAgain) {
    lost.lost(BrokerId(2));
    lost.lost(BrokerId(3));
    lost.found(BrokerId(2));
    EXPECT_EQ(lost.undecided(), Brokers{BrokerId(3)});
    world.run_for(1s);
    lost.lost(BrokerId(2));
    EXPECT_EQ(lost.undecided(), Brokers{BrokerId(2)});
}

}  // namespace
}  // namespace milena::server

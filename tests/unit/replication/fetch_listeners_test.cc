// SPDX-License-Identifier: Apache-2.0
// Telling many listeners while they come, go and die.
#include "fetch_listeners.h"

#include <functional>

#include <gtest/gtest.h>

namespace milena::replication {
namespace {

class Counting final : public FetchListener {
public:
    void partition_has_news() override {
        ++told;
        if (when_told) when_told();
    }
    int told = 0;
    std::function<void()> when_told;
};

/// All rounds of one piece of news; the number of handfuls.
int tell_all(FetchListeners& listeners) {
    NewsRound round;
    int handfuls = 0;
    do {
        listeners.collect(round);
        round.tell();
        ++handfuls;
    } while (round.unfinished());
    return handfuls;
}

TEST(FetchListeners, TellsEachOnceHoweverMany) {
    FetchListeners listeners;
    std::vector<std::shared_ptr<Counting>> all;
    for (int i = 0; i < 20; ++i) {
        all.push_back(std::make_shared<Counting>());
        listeners.add(all.back());
    }
    EXPECT_EQ(tell_all(listeners), 3);
    for (const auto& listener : all) EXPECT_EQ(listener->told, 1);
}

TEST(FetchListeners, TellsNobodyTwiceWhenOthersLeaveBetweenHandfuls) {
    FetchListeners listeners;
    std::vector<std::shared_ptr<Counting>> all;
    for (int i = 0; i < 20; ++i) {
        all.push_back(std::make_shared<Counting>());
        listeners.add(all.back());
        all.back()->when_told = [&listeners, who = all.back().get()] { listeners.remove(who); };
    }
    tell_all(listeners);
    for (const auto& listener : all) EXPECT_EQ(listener->told, 1);
    EXPECT_EQ(listeners.size(), 0u);
}

TEST(FetchListeners, EndsThoughEachComesBack) {
    // A listener that registers again while it is told belongs to the next news.
    FetchListeners listeners;
    const auto listener = std::make_shared<Counting>();
    listeners.add(listener);
    listener->when_told = [&] { listeners.add(listener); };
    EXPECT_EQ(tell_all(listeners), 1);
    EXPECT_EQ(listener->told, 1);
}

TEST(FetchListeners, ForgetsTheDead) {
    FetchListeners listeners;
    for (int i = 0; i < 1000; ++i) listeners.add(std::make_shared<Counting>());
    EXPECT_LE(listeners.size(), 17u);
    tell_all(listeners);
}

TEST(FetchListeners, KeepsTheLivingWhenItSweeps) {
    FetchListeners listeners;
    std::vector<std::shared_ptr<Counting>> all;
    for (int i = 0; i < 100; ++i) {
        all.push_back(std::make_shared<Counting>());
        listeners.add(all.back());
    }
    EXPECT_EQ(listeners.size(), 100u);
    listeners.remove(all.front().get());
    EXPECT_EQ(listeners.size(), 99u);
}

}  // namespace
}  // namespace milena::replication

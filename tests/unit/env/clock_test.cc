// SPDX-License-Identifier: Apache-2.0
// The contract of clocks and timers, in both worlds.
#include "contract.h"

namespace milena::env {
namespace {

using std::chrono::milliseconds;

class ClockContract : public EnvContract {};
RUN_ON_BOTH(ClockContract);

TEST_P(ClockContract, SleepLastsAtLeastAsLongAsAsked) {
    run([this]() -> Task<void> {
        const Instant before = env().clock().now();
        co_await env().sleep(env().core(0), milliseconds(20));
        EXPECT_GE(env().clock().now() - before, milliseconds(20));
    });
}

TEST_P(ClockContract, WallTimeMovesWithTheClock) {
    run([this]() -> Task<void> {
        const Timestamp before = env().clock().wall();
        EXPECT_GT(before.value, 1'700'000'000'000);
        co_await env().sleep(env().core(0), milliseconds(20));
        EXPECT_GE(env().clock().wall().value, before.value + 19);
    });
}

TEST_P(ClockContract, ATimerTellsTheTimeFromACancel) {
    run([this]() -> Task<void> {
        const Executor here = env().core(0);
        const auto timer = env().make_timer(here);
        EXPECT_TRUE(co_await timer->wait_until(env().clock().now() + milliseconds(1)));
        EXPECT_TRUE(co_await timer->wait_until(env().clock().now() - milliseconds(1)));
        timer->cancel();  // with nobody waiting, nothing
        post(here, [&timer] { timer->cancel(); });
        EXPECT_FALSE(co_await timer->wait_until(kNever));
        post(here, [&timer] { timer->cancel(); });
        EXPECT_FALSE(co_await timer->wait_until(env().clock().now() + std::chrono::hours(1)));
    });
}

TEST_P(ClockContract, TimersRingInTheOrderOfTheirTimes) {
    std::vector<int> order;
    run([&]() -> Task<void> {
        const Instant start = env().clock().now();
        for (const int delay : {30, 10, 20}) {
            spawn(env().core(0),
                  [](Env& world, Instant begin, int ms, std::vector<int>& out) -> Task<void> {
                      const auto timer = world.make_timer(world.core(0));
                      co_await timer->wait_until(begin + milliseconds(ms));
                      out.push_back(ms);
                  }(env(), start, delay, order));
        }
        co_await env().sleep(env().core(0), milliseconds(80));
    });
    EXPECT_EQ(order, (std::vector{10, 20, 30}));
}

TEST_P(ClockContract, ADestroyedTimerEndsItsWait) {
    run([this]() -> Task<void> {
        auto timer = env().make_timer(env().core(0));
        post(env().core(0), [&timer] { timer.reset(); });
        EXPECT_FALSE(co_await timer->wait_until(kNever));
    });
}

}  // namespace
}  // namespace milena::env

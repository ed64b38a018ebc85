// SPDX-License-Identifier: Apache-2.0
// Tasks, timers, wakeups, pools.
#include <atomic>

#include "contract.h"
#include "milena/env/guarded.h"

namespace milena::env {
namespace {

using std::chrono::milliseconds;

class TasksContract : public EnvContract {};
RUN_ON_BOTH(TasksContract);

TEST_P(TasksContract, SleepLastsAtLeastAsLongAsAsked) {
    run([this]() -> Task<void> {
        const Instant before = env().clock().now();
        co_await env().sleep(env().core(0), milliseconds(20));
        EXPECT_GE(env().clock().now() - before, milliseconds(20));
    });
}

TEST_P(TasksContract, WallTimeMovesWithTheClock) {
    run([this]() -> Task<void> {
        const Timestamp before = env().clock().wall();
        EXPECT_GT(before.value, 1'700'000'000'000);
        co_await env().sleep(env().core(0), milliseconds(20));
        EXPECT_GE(env().clock().wall().value, before.value + 19);
    });
}

TEST_P(TasksContract, ATimerTellsTheTimeFromACancel) {
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

TEST_P(TasksContract, TimersRingInTheOrderOfTheirTimes) {
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

TEST_P(TasksContract, ADestroyedTimerEndsItsWait) {
    run([this]() -> Task<void> {
        auto timer = env().make_timer(env().core(0));
        post(env().core(0), [&timer] { timer.reset(); });
        EXPECT_FALSE(co_await timer->wait_until(kNever));
    });
}

TEST_P(TasksContract, PostNeverRunsInsideTheCall) {
    run([this]() -> Task<void> {
        bool has_run = false;
        post(env().core(0), [&has_run] { has_run = true; });
        EXPECT_FALSE(has_run);
        while (!has_run) co_await env().sleep(env().core(0), milliseconds(1));
    });
}

TEST_P(TasksContract, RunOnGivesTheValueFromTheOtherCore) {
    run([this]() -> Task<void> {
        const Executor other = env().core(1);
        const Result<int> value = co_await run_on(other, [](Executor there) -> Task<Result<int>> {
            EXPECT_TRUE(there.running_in_this_thread());
            co_return 42;
        }(other));
        EXPECT_TRUE(env().core(0).running_in_this_thread());
        EXPECT_EQ(*value, 42);
    });
}

TEST_P(TasksContract, OffloadComesBackToTheCallersCore) {
    run([this]() -> Task<void> {
        for (const Pool pool : {Pool::disk, Pool::compute}) {
            int result = 0;
            co_await env().offload(pool, [&result] { result = 42; });
            EXPECT_EQ(result, 42);
            EXPECT_TRUE(env().core(0).running_in_this_thread());
        }
    });
}

TEST_P(TasksContract, ManyOffloadsAllComeBack) {
    constexpr int kCount = 200;
    Guarded<int> worked(0);
    int back = 0;
    run([&]() -> Task<void> {
        for (int i = 0; i < kCount; ++i) {
            spawn(env().core(0), [](Env& world, Guarded<int>& work, int& returned) -> Task<void> {
                co_await world.offload(Pool::disk, [&work] { work.with([](int& n) { ++n; }); });
                ++returned;
            }(env(), worked, back));
        }
        while (back < kCount) co_await env().sleep(env().core(0), milliseconds(1));
    });
    EXPECT_EQ(worked.with([](int& n) { return n; }), kCount);
}

TEST_P(TasksContract, AWakeupKeepsANotifyForTheNextWait) {
    run([this]() -> Task<void> {
        Wakeup wakeup(env(), env().core(0));
        wakeup.notify();
        wakeup.notify();
        EXPECT_TRUE(co_await wakeup.wait_until(kNever));
        EXPECT_FALSE(co_await wakeup.wait_until(env().clock().now() + milliseconds(1)));
    });
}

TEST_P(TasksContract, AWakeupIsWokenFromAnotherCoreAndAPool) {
    run([this]() -> Task<void> {
        Wakeup wakeup(env(), env().core(0));
        post(env().core(1), wakeup.handle());
        EXPECT_TRUE(co_await wakeup.wait_until(kNever));
        post(env().control(), wakeup.handle());
        EXPECT_TRUE(co_await wakeup.wait_until(kNever));
        spawn(env().core(1), [](Env& world, std::function<void()> wake) -> Task<void> {
            co_await world.sleep(world.core(1), milliseconds(5));
            co_await world.offload(Pool::compute, std::move(wake));
        }(env(), wakeup.handle()));
        EXPECT_TRUE(co_await wakeup.wait_until(kNever));
    });
}

TEST_P(TasksContract, NoNotifyIsLostHoweverManyCome) {
    constexpr int kCount = 1000;
    Guarded<int> sent(0);
    run([&]() -> Task<void> {
        Wakeup wakeup(env(), env().core(0));
        spawn(env().core(1),
              [](Env& world, Guarded<int>& number, std::function<void()> wake) -> Task<void> {
                  for (int i = 0; i < kCount; ++i) {
                      number.with([](int& n) { ++n; });
                      wake();
                      if (i % 100 == 0) co_await world.sleep(world.core(1), milliseconds(1));
                  }
              }(env(), sent, wakeup.handle()));
        while (sent.with([](int& n) { return n; }) < kCount) {
            const bool woken =
                co_await wakeup.wait_until(env().clock().now() + std::chrono::seconds(30));
            EXPECT_TRUE(woken);
            if (!woken) break;
        }
    });
}

TEST_P(TasksContract, AHandleOutlivesItsWakeup) {
    run([this]() -> Task<void> {
        std::function<void()> handle;
        {
            Wakeup wakeup(env(), env().core(0));
            handle = wakeup.handle();
            post(env().core(1), handle);
        }
        handle();
        co_await env().sleep(env().core(0), milliseconds(2));
    });
}

TEST_P(TasksContract, WhatStillWaitsAtTheEndIsDestroyed) {
    const auto witness = std::make_shared<int>();
    run([&]() -> Task<void> {
        for (const Executor& where : {env().core(0), env().core(1), env().control()}) {
            spawn(where, [](Env& world, Executor here, std::shared_ptr<int>) -> Task<void> {
                co_await world.sleep(here, std::chrono::hours(1));
            }(env(), where, witness));
            spawn(where, [](Env& world, Executor other, std::shared_ptr<int>) -> Task<void> {
                co_await run_on(other, world.sleep(other, std::chrono::hours(1)));
            }(env(), env().core(1), witness));
        }
        co_await env().sleep(env().core(0), milliseconds(2));
    });
    end();
    EXPECT_EQ(witness.use_count(), 1);
}

TEST_P(TasksContract, RandomIdsAreDistinctAndWellFormed) {
    const Uuid a = random_uuid(env().random());
    const Uuid b = random_uuid(env().random());
    EXPECT_NE(a, b);
    EXPECT_EQ(a.high >> 12 & 0xF, 4U);
    EXPECT_EQ(a.low >> 62, 2U);
    EXPECT_FALSE(a.is_reserved());
}

TEST_P(TasksContract, HasAtLeastOneCore) {
    EXPECT_EQ(env().core_count(), 2U);
}

}  // namespace
}  // namespace milena::env

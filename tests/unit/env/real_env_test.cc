// SPDX-License-Identifier: Apache-2.0
// The life of the real Env: threads, stop, signals.
#include <pthread.h>
#include <array>
#include <csignal>
#include <future>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "milena/env/env.h"
#include "milena/env/guarded.h"

namespace milena::env {
namespace {

using std::chrono::milliseconds;

Task<void> stop_after(RealEnv& env, Duration delay) {
    co_await env.sleep(env.control(), delay);
    env.stop();
}

std::string thread_name() {
    std::array<char, 16> name{};
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    return name.data();
}

TEST(RealEnv, RunsEachCoreAndControlOnAThreadOfItsOwn) {
    const auto env = make_real_env(3);
    ASSERT_EQ(env->core_count(), 3U);
    // The last to come ends the run: threads may be slow to start on a busy machine.
    std::array<Executor, 4> places{env->core(0), env->core(1), env->core(2), env->control()};
    Guarded<std::vector<std::thread::id>> threads;
    post(env->core(0), [] { EXPECT_EQ(thread_name(), "core"); });
    for (const Executor& where : places) {
        post(where, [&] {
            const bool are_all_there = threads.with([&](auto& seen) {
                seen.push_back(std::this_thread::get_id());
                return seen.size() == places.size();
            });
            if (are_all_there) env->stop();
        });
    }
    env->run();
    const auto seen = threads.with([](auto& all) { return std::set(all.begin(), all.end()); });
    EXPECT_EQ(seen.size(), places.size());
}

TEST(RealEnv, HasOneCorePerProcessorIfNotTold) {
    EXPECT_GE(make_real_env(0)->core_count(), 1U);
}

TEST(RealEnv, StopFromAnotherThreadEndsRun) {
    const auto env = make_real_env(1);
    std::thread stopper([&env] {
        std::this_thread::sleep_for(milliseconds(20));
        env->stop();
    });
    env->run();
    stopper.join();
}

TEST(RealEnv, ThatNeverRanDropsItsTasks) {
    const auto witness = std::make_shared<int>();
    {
        const auto env = make_real_env(1);
        spawn(env->core(0), [](std::shared_ptr<int>) -> Task<void> { co_return; }(witness));
    }
    EXPECT_EQ(witness.use_count(), 1);
}

TEST(RealEnv, AfterRunNothingOfItsTasksIsLeft) {
    const auto witness = std::make_shared<int>();
    const auto env = make_real_env(2);
    for (int i = 0; i < 20; ++i) {
        spawn(env->core(0), [](RealEnv& world, std::shared_ptr<int> w) -> Task<void> {
            co_await world.offload(Pool::disk,
                                   [w] { std::this_thread::sleep_for(milliseconds(5)); });
            co_await world.sleep(world.core(0), std::chrono::hours(1));
        }(*env, witness));
    }
    spawn(env->control(), stop_after(*env, milliseconds(12)));
    env->run();
    EXPECT_EQ(witness.use_count(), 1);
}

TEST(RealEnv, WorkOfTheQuorumWaitsBehindNoPartitions) {
    // Every thread of the disk pool is stuck until the quorum's work is done.
    const auto env = make_real_env(1);
    std::promise<void> release;
    const std::shared_future<void> released = release.get_future().share();
    for (int i = 0; i < 16; ++i) {
        spawn(env->core(0), [](RealEnv& world, std::shared_future<void> until) -> Task<void> {
            co_await world.offload(Pool::disk, [until] { until.wait(); });
        }(*env, released));
    }
    spawn(env->control(), [](RealEnv& world, std::promise<void>& done) -> Task<void> {
        co_await world.sleep(world.control(), milliseconds(10));
        co_await world.offload(Pool::quorum, [&done] { done.set_value(); });
        world.stop();
    }(*env, release));
    env->run();
    EXPECT_EQ(released.wait_for(milliseconds(0)), std::future_status::ready);
}

TEST(RealEnv, TellsOfSignalsOnceAskedFor) {
    const auto env = make_real_env(1);
    int first = 0;
    int second = 0;
    spawn(env->control(), [](RealEnv& world, int& one, int& two) -> Task<void> {
        // Raised behind the question: posted here, it runs once this task waits.
        post(world.control(), [] { ::raise(SIGTERM); });
        one = co_await world.next_signal();
        post(world.control(), [] { ::raise(SIGINT); });
        two = co_await world.next_signal();
        world.stop();
    }(*env, first, second));
    env->run();
    EXPECT_EQ(first, SIGTERM);
    EXPECT_EQ(second, SIGINT);
}

TEST(RealEnv, WritingToAPeerThatIsGoneIsNoSignal) {
    struct ::sigaction action{};
    const auto env = make_real_env(1);
    ASSERT_EQ(::sigaction(SIGPIPE, nullptr, &action), 0);
    EXPECT_EQ(action.sa_handler, SIG_IGN);
}

Task<void> throwing() {
    throw std::runtime_error("nobody catches this");
    co_return;
}

TEST(TaskDeathTest, AnExceptionThatLeavesATaskStopsTheProcess) {
    EXPECT_DEATH(
        {
            const auto env = make_real_env(1);
            spawn(env->core(0), throwing());
            env->run();
        },
        "nobody catches this");
}

Task<void> keep_busy_until_spread(RealEnv& env, bool& is_spread) {
    const Executor here = env.core(0);
    EXPECT_EQ(env.core_for(0), 0U);
    EXPECT_EQ(env.core_for(1), 0U);
    const Instant give_up = env.clock().now() + std::chrono::seconds(60);
    while (env.core_for(1) == 0U && env.clock().now() < give_up) {
        const Instant pause = env.clock().now() + milliseconds(20);
        while (env.clock().now() < pause) {
        }
        co_await env.sleep(here, {});
    }
    is_spread = env.core_for(0) == 0U && env.core_for(1) == 1U;
    env.stop();
}

TEST(RealEnv, ABusyCoreGetsHelp) {
    const auto env = make_real_env(2);
    bool is_spread = false;
    spawn(env->core(0), keep_busy_until_spread(*env, is_spread));
    env->run();
    EXPECT_TRUE(is_spread);
}

}  // namespace
}  // namespace milena::env

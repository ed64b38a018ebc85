// SPDX-License-Identifier: Apache-2.0
// The contract of tasks, in both worlds: where they run and how they end.
#include "contract.h"

namespace milena::env {
namespace {

using std::chrono::milliseconds;

class TaskContract : public EnvContract {};
RUN_ON_BOTH(TaskContract);

TEST_P(TaskContract, PostNeverRunsInsideTheCall) {
    run([this]() -> Task<void> {
        bool has_run = false;
        post(env().core(0), [&has_run] { has_run = true; });
        EXPECT_FALSE(has_run);
        while (!has_run) co_await env().sleep(env().core(0), milliseconds(1));
    });
}

TEST_P(TaskContract, RunOnGivesTheValueFromTheOtherCore) {
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

TEST_P(TaskContract, WhatStillWaitsAtTheEndIsDestroyed) {
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

}  // namespace
}  // namespace milena::env

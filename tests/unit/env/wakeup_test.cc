// SPDX-License-Identifier: Apache-2.0
// The contract of wakeups, in both worlds: none is lost, from whatever thread it comes.
#include "contract.h"
#include "milena/env/guarded.h"

namespace milena::env {
namespace {

using std::chrono::milliseconds;

class WakeupContract : public EnvContract {};
RUN_ON_BOTH(WakeupContract);

TEST_P(WakeupContract, AWakeupKeepsANotifyForTheNextWait) {
    run([this]() -> Task<void> {
        Wakeup wakeup(env(), env().core(0));
        wakeup.notify();
        wakeup.notify();
        EXPECT_TRUE(co_await wakeup.wait_until(kNever));
        EXPECT_FALSE(co_await wakeup.wait_until(env().clock().now() + milliseconds(1)));
    });
}

TEST_P(WakeupContract, AWakeupIsWokenFromAnotherCoreAndAPool) {
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

TEST_P(WakeupContract, NoNotifyIsLostHoweverManyCome) {
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

TEST_P(WakeupContract, AHandleOutlivesItsWakeup) {
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

}  // namespace
}  // namespace milena::env

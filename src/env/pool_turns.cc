// SPDX-License-Identifier: Apache-2.0
// A turn goes from one who is done to the one who has waited longest.
#include "milena/env/pool_turns.h"

#include <utility>

#include "milena/env/env.h"

namespace milena::env {

Task<void> PoolTurns::run(Env& env, Executor owner, std::function<void()> work) {
    Wakeup turn(env, owner);
    const bool is_mine = state_.with([&](State& state) {
        if (state.free > 0) {
            --state.free;
            return true;
        }
        state.waiting.push_back(turn.handle());
        return false;
    });
    if (!is_mine) co_await turn.wait_until(kNever);
    co_await env.offload(Pool::disk, std::move(work));
    pass_on();
}

void PoolTurns::pass_on() {
    const auto next = state_.with([](State& state) -> std::function<void()> {
        if (state.waiting.empty()) {
            ++state.free;
            return nullptr;
        }
        auto first = std::move(state.waiting.front());
        state.waiting.pop_front();
        return first;
    });
    if (next) next();
}

}  // namespace milena::env

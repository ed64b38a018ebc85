// SPDX-License-Identifier: Apache-2.0
// A turn goes from one who is done to the one who has waited longest.
#include "milena/env/pool_turns.h"

#include <utility>

#include "milena/env/env.h"

namespace milena::env {

Task<void> PoolTurns::run(Env& env, Executor owner, std::function<void()> work) {
    Wakeup turn(env, owner);
    const bool is_mine = state_->with([&](State& state) {
        if (state.free > 0) {
            --state.free;
            return true;
        }
        state.waiting.push_back(turn.handle());
        return false;
    });
    if (!is_mine) co_await turn.wait_until(kNever);
    // Passed on by the pool's thread: this caller's core may be long in coming back to it.
    std::function<void()> passed_on = [state = state_, work = std::move(work)] {
        work();
        pass_on(*state);
    };
    co_await env.offload(Pool::disk, std::move(passed_on));
}

void PoolTurns::pass_on(Guarded<State>& shared) {
    const auto next = shared.with([](State& state) -> std::function<void()> {
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

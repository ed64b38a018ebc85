// SPDX-License-Identifier: Apache-2.0
// A wakeup is made only for an answer that is not there yet.
#include "asker.h"

#include <utility>

namespace milena::drivers {

void Asker::answer(Answer what) {
    const auto wake = state_.with([&](State& state) {
        INVARIANT(!state.answer, "a request is answered twice");
        state.answer = std::move(what);
        return std::exchange(state.wake, nullptr);
    });
    if (wake) wake();
}

bool Asker::is_answered() const {
    return state_.with([](const State& state) { return state.answer.has_value(); });
}

env::Task<Asker::Answer> Asker::wait(env::Env& env, env::Executor owner) {
    if (!is_answered()) {
        env::Wakeup wakeup(env, owner);
        state_.with([&](State& state) { state.wake = wakeup.handle(); });
        while (!is_answered()) co_await wakeup.wait_until(env::kNever);
    }
    co_return state_.with([](State& state) { return *std::exchange(state.answer, std::nullopt); });
}

}  // namespace milena::drivers

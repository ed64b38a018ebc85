// SPDX-License-Identifier: Apache-2.0
// Work for the disk pool of which only so much runs at once, first come, first served: so that a
// disk that stalls holds up those who wait for it, and not every thread of the pool.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "milena/env/guarded.h"
#include "milena/env/task.h"

namespace milena::env {

class Env;

/// Thread-safe.
class PoolTurns {
public:
    explicit PoolTurns(std::size_t at_once)
        : state_(std::make_shared<Guarded<State>>(State{.free = at_once, .waiting = {}})) {}

    /// Runs `work` in the disk pool when it is its turn. As many wait as there are coroutines that
    /// call, each accounted for by its owner. On `owner`.
    Task<void> run(Env& env, Executor owner, std::function<void()> work);

private:
    struct State {
        std::size_t free = 1;
        std::deque<std::function<void()>> waiting;
    };
    static void pass_on(Guarded<State>& shared);

    /// Shared with the pool's work, which may be done when this is gone.
    const std::shared_ptr<Guarded<State>> state_;
};

}  // namespace milena::env

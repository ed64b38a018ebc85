// SPDX-License-Identifier: Apache-2.0
// What the requests of one core share; touched on its thread only.
#pragma once

#include "deadlines.h"
#include "metrics.h"
#include "milena/wire/connection.h"

namespace milena::server {

struct CoreState {
    CoreState(env::Env& env, env::Executor executor, wire::ConnectionLimits limits,
              env::ByteBudget& budget, const Logger& log)
        : owner(executor),
          connections(env, executor, limits, budget, log),
          deadlines(env, executor),
          sweep_pause(env, executor) {}

    env::Executor owner;
    wire::CoreConnections connections;
    Deadlines deadlines;
    RequestMetrics metrics;
    env::Wakeup sweep_pause;  ///< cut short when the server stops
};

}  // namespace milena::server

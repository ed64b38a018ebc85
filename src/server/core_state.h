// SPDX-License-Identifier: Apache-2.0
// What the requests of one core share; touched on its thread only.
#pragma once

#include "client_reach.h"
#include "deadlines.h"
#include "metrics/metrics.h"
#include "milena/env/guarded.h"
#include "milena/record/compression.h"
#include "milena/wire/connection.h"

namespace milena::server {

class FetchSessions;

/// What all connections together know of clients that reach this node where it sends them, and how
/// often it is told that one does not.
struct ClientReach {
    ReachedClients reached;
    LogLimit lines{std::chrono::minutes(1), 3};
};

/// What the cores have in common.
struct SharedByCores {
    wire::ConnectionLimits limits;
    env::ByteBudget& budget;
    FetchSessions& fetch_sessions;
    env::Guarded<ClientReach>& client_reach;
};

struct CoreState {
    CoreState(env::Env& env, env::Executor executor, const SharedByCores& shared, const Logger& log)
        : owner(executor),
          budget(shared.budget),
          fetch_sessions(shared.fetch_sessions),
          client_reach(shared.client_reach),
          connections(env, executor, shared.limits, shared.budget, log),
          deadlines(env, executor),
          sweep_pause(env, executor) {}

    env::Executor owner;
    env::ByteBudget& budget;
    FetchSessions& fetch_sessions;
    env::Guarded<ClientReach>& client_reach;
    wire::CoreConnections connections;
    Deadlines deadlines;
    RequestMetrics metrics;
    record::Scratch scratch;
    env::Wakeup sweep_pause;  ///< cut short when the server stops
    LogLimit sasl_refusals{std::chrono::seconds(1), 10};
};

}  // namespace milena::server

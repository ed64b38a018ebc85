// SPDX-License-Identifier: Apache-2.0
// Listens, and serves every request that comes: one session a connection, one handler file an API
// key (src/server/api).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "milena/config/broker_config.h"
#include "milena/server/broker.h"
#include "milena/telemetry/page.h"

namespace milena::server {

/// A listener that is open, with the port that was chosen where 0 was asked for.
struct OpenListener {
    config::Listener listener;
    env::Endpoint bound;
};

class Server {
public:
    /// Called from the control thread, as everything here.
    static std::unique_ptr<Server> make(Broker broker);
    virtual ~Server() = default;

    /// Binds all of `listeners`; whoever connects from now on waits. The error names the listener.
    virtual Result<std::vector<OpenListener>> bind(std::span<const config::Listener> listeners) = 0;
    /// Those who wait, and whoever comes, are served on all listeners that are bound and not yet
    /// served.
    virtual void serve() = 0;
    /// Accepts nobody any more, closes every connection and returns when no request is being
    /// served.
    virtual env::Task<void> stop() = 0;

    /// Requests, connections, partitions and fetch sessions; from any thread.
    virtual void write_metrics(telemetry::Page& page) const = 0;
};

}  // namespace milena::server

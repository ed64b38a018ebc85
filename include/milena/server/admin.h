// SPDX-License-Identifier: Apache-2.0
// The HTTP side of a node, for those who watch it: GET on a few pages, each request on a connection
// of its own. Runs on the control thread, so it answers while a disk stalls or the cores are busy;
// open before the logs are, so it tells how far a recovery has come. No authentication: bind it to
// an address that only those who may read it reach.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "milena/base/logger.h"
#include "milena/env/env.h"

namespace milena::server {

struct AdminAnswer {
    int status = 200;
    std::string_view content_type = "text/plain; charset=utf-8";
    std::string body;
};

/// What there is to read.
class AdminPages {
public:
    virtual ~AdminPages() = default;
    /// The page at `path` (without its query); nothing if there is none. On env.control().
    virtual env::Task<std::optional<AdminAnswer>> get(std::string path) = 0;
};

class AdminServer {
public:
    /// Binds `endpoint`; serves `pages`, which outlives this, from serve() on. All on the control
    /// thread.
    static Result<std::unique_ptr<AdminServer>> open(env::Env& env, Logger log,
                                                     const env::Endpoint& endpoint,
                                                     AdminPages& pages);
    virtual ~AdminServer() = default;

    /// With the port that was chosen where 0 was asked for.
    virtual const env::Endpoint& local() const = 0;
    virtual void serve() = 0;
    /// Closes every connection and returns when none is served any more.
    virtual env::Task<void> stop() = 0;
};

}  // namespace milena::server

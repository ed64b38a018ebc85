// SPDX-License-Identifier: Apache-2.0
// How a client of the workload comes to the server it needs: it asks one bootstrap server after the
// other who leads, connects there, and gives a connection up that does not answer in time.
#pragma once

#include <vector>

#include "sim/node.h"
#include "sim/workload/history.h"
#include "support/client.h"

namespace milena::sim {

class Link {
public:
    /// Answers that take longer are not waited for: the connection is closed.
    static constexpr env::Duration kRequestTimeout = std::chrono::seconds(10);

    /// Of `machine`, core 0. All live as long as the world.
    Link(Node& machine, std::vector<env::Endpoint> bootstrap)
        : machine_(machine), bootstrap_(std::move(bootstrap)) {}

    /// A connection to the leader of `place`, or to the next bootstrap server if no place is given;
    /// null if there is none now.
    env::Task<support::Client*> ready(const Place* place);
    /// Not to be used any more: the next ready() makes another.
    void drop() {
        client_.reset();
        end_wait();
    }

    /// One request and its answer; after a failure the connection is dropped.
    template <class Response, class Request>
    env::Task<Result<Response>> call(const Request& request, std::int16_t version) {
        begin_wait();
        auto response = co_await client_->call<Response>(request, version);
        end_wait();
        if (!response) drop();
        co_return response;
    }

    /// Between the two, watch() closes the connection when it takes too long.
    void begin_wait() { waiting_since_ = now(); }
    void end_wait() { waiting_since_ = env::kNever; }
    /// Runs beside the client, for ever.
    env::Task<void> watch();

    env::Instant now() { return machine_.clock().now(); }
    Node& machine() { return machine_; }

private:
    env::Task<bool> connect(env::Endpoint to);
    env::Task<std::optional<env::Endpoint>> leader_of(const Place& place);

    Node& machine_;
    std::vector<env::Endpoint> bootstrap_;
    std::size_t next_bootstrap_ = 0;
    std::unique_ptr<support::Client> client_;
    env::Instant waiting_since_ = env::kNever;
};

}  // namespace milena::sim

// SPDX-License-Identifier: Apache-2.0
// How a client of the workload comes to the server it needs: it asks one bootstrap server after the
// other who leads, connects there, and gives a connection up that does not answer in time. An
// answer that can't be read is a complaint.
#pragma once

#include <vector>

#include "sim/node.h"
#include "sim/workload/history.h"
#include "support/client.h"

namespace milena::sim {

/// What a sound server may answer while faults are about; the client tries again.
bool may_be_refused_with(ErrorCode error);

class Link {
public:
    /// Answers that take longer are not waited for: the connection is closed.
    static constexpr env::Duration kRequestTimeout = std::chrono::seconds(10);

    struct Leader {
        env::Endpoint endpoint;
        std::int32_t epoch = -1;
    };

    /// Of `machine`, core 0. All live as long as the world.
    Link(Node& machine, std::vector<env::Endpoint> bootstrap, std::vector<Violation>& complaints)
        : machine_(machine), bootstrap_(std::move(bootstrap)), complaints_(complaints) {}

    /// A connection to the leader of `place`, or to the next bootstrap server if no place is given;
    /// null if there is none now.
    env::Task<support::Client*> ready(const Place* place);
    /// A connection to the coordinator of the group; null if there is none now.
    env::Task<support::Client*> ready_for_group(std::string_view group);
    /// Not to be used any more: the next ready() makes another.
    void drop() {
        client_.reset();
        end_wait();
    }

    /// One request and its answer; after a failure the connection is dropped. With a pause the
    /// answer is read that much later, as by a process that stands still meanwhile.
    template <class Response, class Request>
    env::Task<Result<Response>> call(const Request& request, std::int16_t version,
                                     env::Duration pause = {}) {
        begin_wait();
        auto done = co_await client_->send(request, version);
        if (pause > env::Duration(0)) co_await machine_.sleep(machine_.core(0), pause);
        Result<BytesView> frame = fail(ErrorCode::network_exception, "not sent");
        if (done) frame = co_await client_->receive();
        end_wait();
        if (!frame) {
            drop();
            co_return std::unexpected(frame.error());
        }
        auto response = client_->read<Response>(*frame, version);
        if (!response) {
            complain("protocol", response.error().why);
            drop();
        }
        co_return response;
    }

    /// A request whose answer is lost: the connection ends after `pause`.
    template <class Request>
    env::Task<void> send_only(const Request& request, std::int16_t version, env::Duration pause) {
        const auto done = co_await client_->send(request, version);
        if (done) co_await machine_.sleep(machine_.core(0), pause);
        drop();
    }

    /// Between the two, watch() closes the connection when it takes too long.
    void begin_wait() { waiting_since_ = now(); }
    void end_wait() { waiting_since_ = env::kNever; }
    /// Runs beside the client, for ever.
    env::Task<void> watch();

    void complain(std::string_view invariant, std::string what) {
        complaints_.push_back({invariant, std::move(what)});
    }
    env::Instant now() { return machine_.clock().now(); }
    Node& machine() { return machine_; }
    /// Of the place that ready() was asked for, when it was connected to.
    std::int32_t leader_epoch() const { return leader_epoch_; }
    /// The server at the other end, while there is a connection.
    const std::string& server() const { return server_; }

private:
    env::Task<bool> connect(env::Endpoint to);
    env::Task<std::optional<Leader>> leader_of(const Place& place);
    env::Task<std::optional<env::Endpoint>> coordinator_of(std::string_view group);
    env::Task<bool> connect_to_bootstrap();

    Node& machine_;
    std::vector<env::Endpoint> bootstrap_;
    std::vector<Violation>& complaints_;
    std::size_t next_bootstrap_ = 0;
    std::unique_ptr<support::Client> client_;
    env::Endpoint at_;
    std::string server_;
    std::int32_t leader_epoch_ = -1;
    env::Instant waiting_since_ = env::kNever;
};

}  // namespace milena::sim

// SPDX-License-Identifier: Apache-2.0
// Accepts connections, deals them to the cores, and ends them all when the node stops.
#include "milena/server/server.h"

#include <map>

#include <fmt/format.h>

#include "configs/admission.h"
#include "fetch/fetch_sessions.h"
#include "session.h"

namespace milena::server {
namespace {

/// How often each core looks for connections that have been silent too long.
constexpr env::Duration kIdleSweep = std::chrono::seconds(1);
/// Pause after an accept that failed for want of descriptors or memory.
constexpr env::Duration kAcceptPause = std::chrono::milliseconds(100);
/// For the partitions of large fetches without a session, on top of queued.max.request.bytes: a
/// quarter of it.
constexpr std::uint64_t kSessionlessShare = 4;

/// Connections that are open, in all and by address.
struct Admitted {
    std::int64_t total = 0;
    std::map<std::string, std::int64_t, std::less<>> by_address;
};

struct Bound {
    Bound(config::Listener its_listener, std::unique_ptr<env::Acceptor> its_acceptor)
        : listener(std::move(its_listener)), acceptor(std::move(its_acceptor)) {}
    config::Listener listener;
    std::unique_ptr<env::Acceptor> acceptor;
    bool is_served = false;
    telemetry::Counter accepted;
    telemetry::Counter closed;
};

/// A connection that was accepted, on whatever core it is.
struct Guest {
    Bound& bound;
    std::string address;
    std::size_t number;  ///< of all
    std::shared_ptr<wire::Connection> connection{};
    Session* session = nullptr;  ///< the connection's
};

using telemetry::Kind;
using telemetry::Metric;
constexpr Metric kConnections{"kafka_server_socket_server_metrics_connection_count", Kind::gauge,
                              "Connections that are open."};
constexpr Metric kConnectionsMade{"kafka_server_socket_server_metrics_connection_creation_total",
                                  Kind::counter, "Connections that were accepted."};
constexpr Metric kConnectionsClosed{"kafka_server_socket_server_metrics_connection_close_total",
                                    Kind::counter, "Connections that were closed."};

class TcpServer final : public Server {
public:
    explicit TcpServer(Broker broker)
        : broker_(std::move(broker)),
          admission_(broker_),
          budget_(broker_.request_bytes_max),
          fetch_sessions_(broker_.env,
                          static_cast<std::size_t>(broker_.config.network.fetch_session_slots),
                          broker_.request_bytes_max / kSessionlessShare),
          stopped_(broker_.env, broker_.env.control()) {
        const auto& network = broker_.config.network;
        const SharedByCores shared{
            {.frame_bytes_max = static_cast<std::uint32_t>(network.request_bytes_max),
             .idle_max = std::chrono::milliseconds(network.connections_max_idle_ms)},
            budget_,
            fetch_sessions_,
            client_reach_};
        for (std::size_t i = 0; i < broker_.env.core_count(); ++i) {
            cores_.push_back(
                std::make_unique<CoreState>(broker_.env, broker_.env.core(i), shared, broker_.log));
        }
    }

    Result<std::vector<OpenListener>> bind(std::span<const config::Listener> listeners) override {
        std::vector<OpenListener> out;
        for (const auto& listener : listeners) {
            auto acceptor = broker_.env.network().listen(listener.endpoint, broker_.env.control());
            if (!acceptor)
                return fail_at(fmt::format("listener {}", listener.name), acceptor.error());
            out.push_back({listener, (*acceptor)->local()});
            bound_.push_back(std::make_unique<Bound>(listener, std::move(*acceptor)));
        }
        return out;
    }

    void serve() override {
        for (auto& bound : bound_) {
            if (std::exchange(bound->is_served, true)) continue;
            enter();
            env::spawn(broker_.env.control(), accept_from(*bound));
        }
        if (std::exchange(loops_run_, true)) return;
        for (auto& core : cores_) {
            enter();
            env::spawn(core->owner, sweep(*core));
            enter();
            env::spawn(core->owner, expire(*core));
        }
    }

    env::Task<void> stop() override {
        stopping_.with([](bool& flag) { flag = true; });
        for (auto& bound : bound_) bound->acceptor->close();
        for (auto& core : cores_) {
            env::post(core->owner, [&state = *core] {
                state.deadlines.stop();
                state.sweep_pause.notify();
                state.connections.close_all();
            });
        }
        while (running_.with([](const std::size_t& count) { return count; }) != 0) {
            co_await stopped_.wait_until(env::kNever);
        }
    }

    void write_metrics(telemetry::Page& page) const override {
        std::vector<const RequestMetrics*> metrics;
        for (const auto& core : cores_) metrics.push_back(&core->metrics);
        write_requests(page, metrics);
        const auto image = broker_.image.load();
        write_partitions(page,
                         {.replicas = broker_.replicas,
                          .image = *image,
                          .fetchers = broker_.config.replication.fetchers},
                         metrics);
        fetch_sessions_.write_metrics(page);
        for (const auto& bound : bound_) {
            const telemetry::Label label{"listener", bound->listener.name};
            const auto closed = static_cast<double>(bound->closed.value());
            const auto accepted = static_cast<double>(bound->accepted.value());
            page.add(kConnections, std::span(&label, 1), std::max(accepted - closed, 0.0));
            page.add(kConnectionsMade, std::span(&label, 1), accepted);
            page.add(kConnectionsClosed, std::span(&label, 1), closed);
        }
    }

private:
    // Loops and connections that stop() waits for.
    void enter() {
        running_.with([](std::size_t& count) { ++count; });
    }
    void leave() {
        if (running_.with([](std::size_t& count) { return --count; }) == 0) stopped_.notify();
    }
    bool stopping() const {
        return stopping_.with([](const bool& flag) { return flag; });
    }

    env::Task<void> accept_from(Bound& bound) {
        for (;;) {
            const std::size_t number = accepted_++;
            CoreState& core = core_for(number);
            auto stream = co_await bound.acceptor->accept(core.owner);
            if (stream) {
                const std::string address = (*stream)->remote().host;
                admit(core, {bound, address, number}, std::move(*stream));
            } else if (is_retriable(stream.error().code) && !stopping()) {
                LOG_WARN(broker_.log, "connection not accepted",
                         kv("listener", bound.listener.name), kv("why", stream.error().why));
                co_await broker_.env.sleep(broker_.env.control(), kAcceptPause);
            } else {
                break;
            }
        }
        leave();
    }

    CoreState& core_for(std::size_t number) { return *cores_[broker_.env.core_for(number)]; }

    void admit(CoreState& core, Guest guest, std::unique_ptr<env::Stream> stream) {
        const std::string& address = guest.address;
        const auto& limits = admission_.now();
        const std::int64_t of_address = limits.of_address(address);
        const bool fits = admitted_.with([&](Admitted& open) {
            if (open.total >= limits.total) return false;
            const auto same = open.by_address.find(address);
            if ((same == open.by_address.end() ? 0 : same->second) >= of_address) return false;
            ++open.by_address[address];
            ++open.total;
            return true;
        });
        if (!fits) {
            refused_.with([&](LogLimit& limit) {
                std::uint64_t suppressed = 0;
                if (!limit.admit(broker_.env.clock().now().time_since_epoch(), suppressed)) return;
                LOG_WARN(broker_.log,
                         "connection refused: max.connections or max.connections.per.ip is reached",
                         kv("listener", guest.bound.listener.name), kv("peer", address),
                         kv("lines_suppressed", suppressed));
            });
            return;
        }
        enter();
        // The stream travels inside a shared_ptr because a posted function must be copyable.
        auto carried = std::make_shared<std::unique_ptr<env::Stream>>(std::move(stream));
        guest.bound.accepted.add();
        const auto shared = std::make_shared<Guest>(std::move(guest));
        env::post(core.owner, [this, &core, shared, carried] {
            shared->connection = std::make_shared<wire::Connection>(
                core.connections, std::move(*carried), [&](wire::Connection&) {
                    auto session = std::make_unique<Session>(broker_, core, shared->bound.listener,
                                                             Client{{}, shared->address});
                    shared->session = session.get();
                    return session;
                });
            env::spawn(core.owner, serve(core, shared));
        });
    }

    env::Task<void> serve(CoreState& core, std::shared_ptr<Guest> guest) {
        // What comes to a core when its connections have been closed.
        if (stopping()) guest->connection->close();
        const auto end = co_await wire::Connection::run(
            guest->connection, [&] { return &core_for(guest->number) != &core; });
        if (end == wire::Connection::End::moves) {
            move(std::move(guest));
        } else {
            forget(*guest);
        }
    }

    void move(std::shared_ptr<Guest> guest) {
        CoreState& core = core_for(guest->number);
        guest->connection->leave(core.owner);
        env::post(core.owner, [this, &core, guest = std::move(guest)] {
            guest->connection->arrive(core.connections);
            guest->session->arrive(core);
            env::spawn(core.owner, serve(core, guest));
        });
    }

    void forget(Guest& guest) {
        guest.connection.reset();  // it refers to its core, which may go when all have left
        guest.bound.closed.add();
        admitted_.with([&](Admitted& open) {
            --open.total;
            const auto same = open.by_address.find(guest.address);
            if (--same->second == 0) open.by_address.erase(same);
        });
        leave();
    }

    env::Task<void> sweep(CoreState& core) {
        while (!stopping()) {
            core.connections.close_idle();
            co_await core.sweep_pause.wait_until(broker_.env.clock().now() + kIdleSweep);
        }
        leave();
    }

    env::Task<void> expire(CoreState& core) {
        co_await core.deadlines.run();
        leave();
    }

    Broker broker_;
    Admission admission_;
    env::ByteBudget budget_;
    FetchSessions fetch_sessions_;
    env::Guarded<ClientReach> client_reach_;
    std::vector<std::unique_ptr<CoreState>> cores_;
    std::vector<std::unique_ptr<Bound>> bound_;
    bool loops_run_ = false;
    std::size_t accepted_ = 0;  ///< and attempts; of all listeners
    env::Guarded<Admitted> admitted_;
    env::Guarded<LogLimit> refused_{std::chrono::seconds(1), 10};
    env::Guarded<bool> stopping_{false};
    env::Guarded<std::size_t> running_{0U};
    env::Wakeup stopped_;
};

}  // namespace

std::unique_ptr<Server> Server::make(Broker broker) {
    return std::make_unique<TcpServer>(std::move(broker));
}

}  // namespace milena::server

// SPDX-License-Identifier: Apache-2.0
// Listening and the handshake; what is connected is connection.cc's.
#include "sim/network/network.h"

#include <algorithm>
#include <array>
#include <utility>

#include "milena/base/invariant.h"
#include "sim/network/stream.h"

namespace milena::sim {
namespace {

constexpr auto kSynRetry = std::chrono::seconds(1);
/// A system gives up by itself after about as long.
constexpr auto kConnectMax = std::chrono::seconds(127);

std::unexpected<Error> failed(std::string_view call, const env::Endpoint& endpoint,
                              std::string_view why) {
    return fail(ErrorCode::network_exception, fmt::format("{} {}: {}", call, endpoint.text(), why));
}

bool is_own_name(std::string_view name) {
    constexpr std::array<std::string_view, 6> kNames{"",    "localhost", "127.0.0.1",
                                                     "::1", "0.0.0.0",   "::"};
    return std::ranges::find(kNames, name) != kNames.end();
}

class SimAcceptor final : public env::Acceptor {
public:
    SimAcceptor(Host& host, std::uint16_t port, std::shared_ptr<Listening> listening,
                FaultPlan& faults)
        : host_(host), listening_(std::move(listening)), faults_(faults), local_{host.name, port} {}
    ~SimAcceptor() override { close(); }

    env::Task<Result<std::unique_ptr<env::Stream>>> accept(env::Executor) override {
        const auto listening = listening_;
        FaultPlan& faults = faults_;
        if (faults.next_call()) co_return failed("accept", local_, "Too many open files");
        while (listening->backlog.empty()) {
            if (listening->is_closed)
                co_return fail(ErrorCode::unknown_server_error, "accept: closed");
            co_await listening->acceptor.wait();
        }
        auto connection = std::move(listening->backlog.front());
        listening->backlog.pop_front();
        co_return std::make_unique<SimStream>(std::move(connection), 1, faults);
    }

    void close() override {
        if (listening_->is_closed) return;
        host_.listening.erase(local_.port);
        listening_->close();
    }
    const env::Endpoint& local() const override { return local_; }

private:
    Host& host_;
    std::shared_ptr<Listening> listening_;
    FaultPlan& faults_;
    env::Endpoint local_;
};

/// A connect() under way. Its packets are events of the world: they live as long as they travel,
/// whoever waits.
class Attempt : public std::enable_shared_from_this<Attempt> {
public:
    Attempt(Fabric& fabric, Host& from, Host& to, env::Endpoint endpoint,
            std::shared_ptr<Parking> parking)
        : fabric_(fabric),
          from_(from),
          to_(to),
          endpoint_(std::move(endpoint)),
          parking_(parking),
          done_(parking) {}

    void send_request() {
        if (is_over_) return;
        after(fabric_.draw_latency(), &Attempt::arrive);
    }

    void end(std::string why) {
        if (std::exchange(is_over_, true)) return;
        why_ = std::move(why);
        if (connection_ != nullptr) std::exchange(connection_, nullptr)->close(0, true);
        done_.wake();
    }

    Pause& done() { return done_; }
    std::string why_;
    std::shared_ptr<Connection> connection_;

private:
    void after(env::Duration delay, void (Attempt::*step)()) {
        fabric_.timeline().after(delay, 0,
                                 [self = shared_from_this(), step] { ((*self).*step)(); });
    }

    void arrive() {
        if (is_over_ || parking_->is_closed()) return;
        if (fabric_.is_cut(from_.name, to_.name) || !to_.has_power)
            return after(kSynRetry, &Attempt::send_request);
        const auto entry = to_.listening.find(endpoint_.port);
        is_refused_ = entry == to_.listening.end();
        if (!is_refused_) {
            Listening& listening = *entry->second;
            if (listening.backlog.size() >= Listening::kBacklogMax)
                return after(kSynRetry, &Attempt::send_request);
            establish(listening);
        }
        after(fabric_.draw_latency(), &Attempt::answer);
    }

    void establish(Listening& listening) {
        auto client = std::make_unique<ConnectionEnd>(
            from_, env::Endpoint{from_.name, from_.next_port++}, parking_);
        auto server = std::make_unique<ConnectionEnd>(to_, env::Endpoint{to_.name, endpoint_.port},
                                                      listening.acceptor.parking());
        if (from_.next_port == 0) from_.next_port = 32768;
        connection_ = fabric_.connect(std::move(client), std::move(server));
        listening.backlog.push_back(connection_);
        listening.acceptor.wake();
    }

    void answer() {
        if (is_over_) return;
        if (fabric_.is_cut(to_.name, from_.name)) return after(kSynRetry, &Attempt::answer);
        fabric_.trace().fold(as_bytes(is_refused_ ? "refused" : "connected"));
        if (is_refused_) return end("Connection refused");
        if (parking_->is_closed()) return end("nobody waits");
        is_over_ = true;
        done_.wake();
    }

    Fabric& fabric_;
    Host& from_;
    Host& to_;
    env::Endpoint endpoint_;
    std::shared_ptr<Parking> parking_;
    Pause done_;
    bool is_refused_ = false;
    bool is_over_ = false;
};

}  // namespace

Host* SimNetwork::find(const std::string& name) const {
    return is_own_name(name) ? &host_ : fabric_.find_host(name);
}

Result<std::unique_ptr<env::Acceptor>> SimNetwork::listen(const env::Endpoint& endpoint,
                                                          env::Executor) {
    if (faults_.next_call()) return failed("listen on", endpoint, "Input/output error");
    if (find(endpoint.host) != &host_)
        return failed("listen on", endpoint, "Cannot assign requested address");
    std::uint16_t port = endpoint.port;
    while (port == 0 || (endpoint.port == 0 && host_.listening.contains(port))) {
        port = host_.next_port++;
        if (host_.next_port == 0) host_.next_port = 32768;
    }
    const auto [entry, is_free] = host_.listening.try_emplace(port);
    if (!is_free) return failed("listen on", endpoint, "Address already in use");
    entry->second = std::make_shared<Listening>(parking_);
    return std::make_unique<SimAcceptor>(host_, port, entry->second, faults_);
}

env::Task<Result<std::unique_ptr<env::Stream>>> SimNetwork::connect(env::Endpoint endpoint,
                                                                    env::Executor,
                                                                    env::Instant give_up) {
    FaultPlan& faults = faults_;
    if (faults.next_call()) co_return failed("connect to", endpoint, "Network is unreachable");
    Host* const target = find(endpoint.host);
    if (target == nullptr) co_return failed("connect to", endpoint, "Host not found");

    const auto attempt = std::make_shared<Attempt>(fabric_, host_, *target, endpoint, parking_);
    Timeline& timeline = fabric_.timeline();
    const env::Instant last = timeline.now() + kConnectMax;
    const env::Instant end = std::min(last, clock_.on_timeline(give_up));
    const auto alarm = timeline.at(end, 0, [attempt] { attempt->end("no answer in time"); });
    attempt->send_request();
    co_await attempt->done().wait();
    timeline.cancel(alarm);
    if (!attempt->why_.empty()) co_return failed("connect to", endpoint, attempt->why_);
    co_return std::make_unique<SimStream>(std::move(attempt->connection_), 0, faults);
}

}  // namespace milena::sim

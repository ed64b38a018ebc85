// SPDX-License-Identifier: Apache-2.0
// Hosts, wires, and what happens to connections when either fails.
#include "sim/network/fabric.h"

#include <algorithm>
#include <utility>

#include "milena/base/invariant.h"

namespace milena::sim {

void Listening::close() {
    is_closed = true;
    acceptor.wake();
    for (const auto& connection : std::exchange(backlog, {})) connection->close(1, true);
}

Fabric::Fabric(Timeline& timeline, SeededRandom random, Trace& trace)
    : timeline_(timeline), random_(random), trace_(trace) {}

void Fabric::cut(const std::string& from, const std::string& to) {
    cuts_.emplace(from, to);
}

void Fabric::mend(const std::string& from, const std::string& to) {
    cuts_.erase({from, to});
    const Host* const sender = find_host(from);
    if (sender == nullptr) return;
    for (const auto& [connection, side] : connections_of(*sender)) {
        if (connection->peer(side).host->name == to) connection->release_held(side);
    }
}

void Fabric::mend_all() {
    for (const auto& [from, to] : std::set(cuts_)) mend(from, to);
}

void Fabric::split(const std::vector<std::string>& one, const std::vector<std::string>& other) {
    for (const std::string& a : one) {
        for (const std::string& b : other) {
            cut(a, b);
            cut(b, a);
        }
    }
}

void Fabric::set_latency(env::Duration low, env::Duration high) {
    latency_low_ = low;
    latency_high_ = high;
}

void Fabric::break_connections(const std::string& one, const std::string& other) {
    const Host* const host = find_host(one);
    if (host == nullptr) return;
    for (const auto& [connection, side] : connections_of(*host)) {
        if (connection->peer(side).host->name == other) connection->break_now();
    }
}

Host& Fabric::add_host(const std::string& name) {
    const auto [entry, is_new] = hosts_.try_emplace(name);
    INVARIANT(is_new, "two hosts of one name");
    entry->second.name = name;
    return entry->second;
}

Host* Fabric::find_host(const std::string& name) {
    const auto entry = hosts_.find(name);
    return entry == hosts_.end() ? nullptr : &entry->second;
}

void Fabric::lose_process(Host& host) {
    for (const auto& [port, listening] : std::exchange(host.listening, {})) listening->close();
    for (const auto& [connection, side] : connections_of(host)) connection->close(side);
}

void Fabric::lose_power(Host& host) {
    host.has_power = false;
    for (const auto& [connection, side] : connections_of(host)) connection->forget(side);
    for (const auto& [port, listening] : std::exchange(host.listening, {})) listening->close();
}

void Fabric::restore_power(Host& host) {
    host.has_power = true;
    for (const auto& [connection, side] : connections_of(host)) connection->remember_nothing(side);
}

std::shared_ptr<Connection> Fabric::connect(std::unique_ptr<ConnectionEnd> client,
                                            std::unique_ptr<ConnectionEnd> server) {
    auto connection = std::make_shared<Connection>(*this, ++connections_made_, std::move(client),
                                                   std::move(server));
    std::erase_if(connections_, [](const auto& known) { return known.expired(); });
    connections_.push_back(connection);
    return connection;
}

env::Duration Fabric::draw_retransmission() {
    return random_.between(latency_low_, latency_high_ + std::chrono::milliseconds(200));
}

std::size_t Fabric::draw_segment_bytes(std::size_t bytes_max) {
    return random_.chance(0.5) ? bytes_max : random_.between(std::uint64_t{1}, bytes_max);
}

std::size_t Fabric::draw_read_bytes(std::size_t bytes_max) {
    return random_.chance(0.8) ? bytes_max : random_.between(std::uint64_t{1}, bytes_max);
}

std::vector<std::pair<std::shared_ptr<Connection>, Connection::Side>> Fabric::connections_of(
    const Host& host) {
    std::vector<std::pair<std::shared_ptr<Connection>, Connection::Side>> found;
    for (const auto& known : connections_) {
        const auto connection = known.lock();
        if (connection == nullptr) continue;
        for (const Connection::Side side : {0U, 1U}) {
            if (connection->end(side).host == &host) found.emplace_back(connection, side);
        }
    }
    return found;
}

}  // namespace milena::sim

// SPDX-License-Identifier: Apache-2.0
// Connecting: resolve, then each address in turn, until one answers or the time is over.
#include "tcp/tcp_network.h"

#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/basic_resolver.hpp>

#include "posix/descriptor_cache.h"
#include "real_clock.h"
#include "tcp/network_error.h"
#include "tcp/tcp_acceptor.h"

namespace milena::env {
namespace {

using Tcp = boost::asio::ip::tcp;
using Resolver = boost::asio::ip::basic_resolver<Tcp, Executor>;
using boost::system::error_code;

constexpr auto kWait = boost::asio::as_tuple(boost::asio::deferred);

/// Cancels what connect() waits for when its time is over. Its timer's handler may still come after
/// the attempt is gone, so what they share outlives both.
struct Attempt {
    explicit Attempt(Executor owner) : resolver(owner), socket(owner), deadline(owner) {}

    void give_up_at(const std::shared_ptr<Attempt>& self, Instant when) {
        deadline.expires_at(std::chrono::steady_clock::time_point(when.time_since_epoch()));
        deadline.async_wait([self](const error_code& cancelled) {
            if (cancelled) return;
            self->late = true;
            self->resolver.cancel();
            error_code nothing_to_do;
            self->socket.close(nothing_to_do);
        });
    }

    Resolver resolver;
    TcpSocket socket;
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, Executor>
        deadline;
    bool late = false;
};

/// Numeric hosts need no resolver, and none of its thread.
Task<error_code> resolve(Attempt& attempt, const Endpoint& endpoint,
                         std::vector<Tcp::endpoint>& addresses) {
    error_code no_number;
    const auto number = boost::asio::ip::make_address(endpoint.host, no_number);
    if (!no_number) {
        addresses.emplace_back(number, endpoint.port);
        co_return error_code();
    }
    const auto [error, found] = co_await attempt.resolver.async_resolve(
        endpoint.host, std::to_string(endpoint.port), Resolver::numeric_service, kWait);
    if (!error) {
        for (const auto& entry : found) addresses.push_back(entry.endpoint());
    }
    co_return error;
}

bool lacks_descriptor(const error_code& error) {
    return error.value() == EMFILE || error.value() == ENFILE;
}

void open_socket(TcpSocket& socket, const Tcp::endpoint& address, DescriptorCache& files,
                 error_code& error) {
    socket.open(address.protocol(), error);
    if (lacks_descriptor(error) && files.release_some()) socket.open(address.protocol(), error);
}

/// Connects to the first address that answers.
Task<error_code> connect_any(Attempt& attempt, const std::vector<Tcp::endpoint>& addresses,
                             DescriptorCache& files) {
    error_code last = boost::asio::error::host_not_found;
    for (const Tcp::endpoint& address : addresses) {
        if (attempt.late) break;
        error_code error;
        attempt.socket.close(error);
        open_socket(attempt.socket, address, files, error);
        if (!error) {
            const auto [refused] = co_await attempt.socket.async_connect(address, kWait);
            error = refused;
        }
        last = error;
        if (!error) break;
    }
    co_return last;
}

}  // namespace

Result<std::unique_ptr<Acceptor>> TcpNetwork::listen(const Endpoint& endpoint, Executor owner) {
    return listen_tcp(endpoint, owner, files_);
}

Task<Result<std::unique_ptr<Stream>>> TcpNetwork::connect(Endpoint endpoint, Executor owner,
                                                          Instant give_up) {
    const auto attempt = std::make_shared<Attempt>(owner);
    if (give_up != kNever) attempt->give_up_at(attempt, give_up);
    std::vector<Tcp::endpoint> addresses;
    error_code error = co_await resolve(*attempt, endpoint, addresses);
    if (!error) error = co_await connect_any(*attempt, addresses, files_);
    attempt->deadline.cancel();
    if (attempt->late) co_return network_failure("connect to", endpoint, "no answer in time");
    if (!error) attempt->socket.native_non_blocking(true, error);
    if (error) co_return network_failure("connect to", endpoint, error);
    co_return std::make_unique<TcpStream>(std::move(attempt->socket));
}

}  // namespace milena::env

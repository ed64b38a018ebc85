// SPDX-License-Identifier: Apache-2.0
// Listening sockets: where they bind, and how a new connection gets to its core.
#include "tcp/tcp_acceptor.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cerrno>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/v6_only.hpp>

#include "posix/descriptor_cache.h"
#include "tcp/network_error.h"

namespace milena::env {
namespace {

using Tcp = boost::asio::ip::tcp;
using boost::system::error_code;

constexpr auto kWait = boost::asio::as_tuple(boost::asio::deferred);
/// The last descriptors are not given to clients: without them no file could be opened.
constexpr int kKeptFromClients = 32;

/// The socket of a new connection, of the protocol that its own address has.
Result<std::unique_ptr<Stream>> adopt(int descriptor, Executor owner) {
    ::sockaddr_storage address{};
    ::socklen_t length = sizeof address;
    ::getsockname(descriptor, reinterpret_cast<::sockaddr*>(&address), &length);
    TcpSocket socket(owner);
    error_code error;
    socket.assign(address.ss_family == AF_INET6 ? Tcp::v6() : Tcp::v4(), descriptor, error);
    if (error) {
        ::close(descriptor);
        return fail(ErrorCode::network_exception, "accept: " + error.message());
    }
    return std::make_unique<TcpStream>(std::move(socket));
}

error_code open_listener(TcpListener& listener, const Tcp::endpoint& address, bool dual_stack) {
    error_code error;
    listener.open(address.protocol(), error);
    if (error) return error;
    listener.set_option(TcpListener::reuse_address(true), error);
    if (!error && address.protocol() == Tcp::v6()) {
        listener.set_option(boost::asio::ip::v6_only(!dual_stack), error);
    }
    if (!error) listener.bind(address, error);
    if (!error) listener.listen(TcpListener::max_listen_connections, error);
    if (!error) listener.native_non_blocking(true, error);
    if (error) {
        error_code ignored;
        listener.close(ignored);
    }
    return error;
}

/// `::` takes IPv4 too; a machine without IPv6 has only 0.0.0.0.
error_code open_everywhere(TcpListener& listener, std::uint16_t port) {
    const error_code error = open_listener(listener, {Tcp::v6(), port}, true);
    const bool no_ipv6 = error.value() == EAFNOSUPPORT || error.value() == EADDRNOTAVAIL;
    if (!no_ipv6) return error;
    return open_listener(listener, {Tcp::v4(), port}, false);
}

error_code open_at_name(TcpListener& listener, const Endpoint& endpoint, Executor owner) {
    error_code error;
    boost::asio::ip::basic_resolver<Tcp, Executor> resolver(owner);
    const auto found =
        resolver.resolve(endpoint.host, std::to_string(endpoint.port),
                         Tcp::resolver::passive | Tcp::resolver::numeric_service, error);
    for (const auto& address : found) {
        error = open_listener(listener, address.endpoint(), false);
        if (!error) break;
    }
    return error;
}

}  // namespace

TcpAcceptor::TcpAcceptor(TcpListener listener, DescriptorCache& files) {
    error_code error;
    const Endpoint local = endpoint_of(listener.local_endpoint(error));
    listening_ = std::make_shared<Listening>(std::move(listener), local, files);
}

/// The system gives out the lowest number that is free, so the next one tells how many are taken.
bool TcpAcceptor::Listening::is_next_low() {
    ::rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return true;
    const Descriptor next(::fcntl(socket.native_handle(), F_DUPFD_CLOEXEC, 0));
    const auto kept = static_cast<::rlim_t>(kKeptFromClients);
    return next && static_cast<::rlim_t>(next.number()) + kept < std::max(limit.rlim_cur, kept * 2);
}

/// What the files give up may be high numbers, which are of no use here.
bool TcpAcceptor::Listening::has_room() {
    while (!is_next_low())
        if (!files.release_some()) return false;
    return true;
}

Task<Result<std::unique_ptr<Stream>>> TcpAcceptor::accept(Executor owner) {
    const auto self = listening_;
    while (self->socket.is_open()) {
        if (self->has_room()) {
            const int descriptor = ::accept4(self->socket.native_handle(), nullptr, nullptr,
                                             SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (descriptor >= 0) co_return adopt(descriptor, owner);
            // ECONNABORTED and the like: that client left before it was its turn.
            if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) continue;
            if (errno != EAGAIN) {
                const int error_number = errno;
                const bool lacks_room = error_number == EMFILE || error_number == ENFILE;
                if (lacks_room && self->files.release_some()) continue;
                co_return network_failure("accept", self->local, error_number);
            }
        }
        co_await self->socket.async_wait(TcpListener::wait_read, kWait);
        if (self->socket.is_open() && !self->has_room())
            co_return network_failure("accept", self->local, EMFILE);
    }
    co_return fail(ErrorCode::unknown_server_error, "accept: closed");
}

void TcpAcceptor::close() {
    error_code nothing_to_do;
    listening_->socket.close(nothing_to_do);
}

Result<std::unique_ptr<Acceptor>> listen_tcp(const Endpoint& endpoint, Executor owner,
                                             DescriptorCache& files) {
    TcpListener listener(owner);
    const error_code error = endpoint.host.empty() ? open_everywhere(listener, endpoint.port)
                                                   : open_at_name(listener, endpoint, owner);
    if (error) return network_failure("listen on", endpoint, error.message());
    return std::make_unique<TcpAcceptor>(std::move(listener), files);
}

}  // namespace milena::env

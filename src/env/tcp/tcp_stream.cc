// SPDX-License-Identifier: Apache-2.0
// The system calls of a connection. Whoever closes or destroys it while a call waits aborts that
// wait.
#include "tcp/tcp_stream.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <algorithm>
#include <cerrno>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include "io_pieces.h"
#include "milena/base/invariant.h"
#include "posix/posix_file.h"
#include "tcp/network_error.h"

namespace milena::env {
namespace {

constexpr auto kWait = boost::asio::as_tuple(boost::asio::deferred);
/// One sendfile call: more would only keep this core from its other connections.
constexpr std::uint64_t kSendFileBytesMax = 4U << 20;

}  // namespace

Endpoint endpoint_of(const boost::asio::ip::tcp::endpoint& address) {
    const auto& ip = address.address();
    if (ip.is_v6() && ip.to_v6().is_v4_mapped()) {
        return {
            boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, ip.to_v6()).to_string(),
            address.port()};
    }
    return {ip.to_string(), address.port()};
}

TcpStream::TcpStream(TcpSocket socket)
    : socket_(std::move(socket)), descriptor_(socket_.native_handle()) {
    boost::system::error_code
        gone;  // a peer that left meanwhile has no address; the first read tells
    remote_ = endpoint_of(socket_.remote_endpoint(gone));
    local_ = endpoint_of(socket_.local_endpoint(gone));
    socket_.set_option(boost::asio::ip::tcp::no_delay(true), gone);
}

std::unexpected<Error> TcpStream::failed(std::string_view call, int error_number) const {
    return network_failure(call, remote_, error_number);
}

std::unexpected<Error> TcpStream::closed(std::string_view call) const {
    return network_failure(call, remote_, "the connection is closed");
}

Task<Result<std::size_t>> TcpStream::read_some(MutableBytes into) {
    while (true) {
        if (descriptor_ < 0) co_return closed("read");
        const ssize_t count = ::recv(descriptor_, into.data(), into.size(), MSG_DONTWAIT);
        if (count >= 0) co_return static_cast<std::size_t>(count);
        if (errno == EINTR) continue;
        if (errno != EAGAIN) co_return failed("read", errno);
        const auto [aborted] = co_await socket_.async_wait(TcpSocket::wait_read, kWait);
        // An aborted wait may mean that this is destroyed: touch nothing.
        if (aborted)
            co_return fail(ErrorCode::network_exception,
                           "read: the connection was closed meanwhile");
    }
}

bool TcpStream::readable() const {
    ::pollfd waits{descriptor_, POLLIN, 0};
    return descriptor_ >= 0 && ::poll(&waits, 1, 0) > 0;
}

Task<Result<void>> TcpStream::write(std::span<const BytesView> pieces) {
    IoPieces left(pieces);
    while (!left.empty()) {
        if (descriptor_ < 0) co_return closed("write");
        const auto next = left.next();
        ::msghdr message{};
        message.msg_iov = next.data();
        message.msg_iovlen = next.size();
        const ssize_t count = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0) {
            left.advance(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            const auto [aborted] = co_await socket_.async_wait(TcpSocket::wait_write, kWait);
            if (aborted)
                co_return fail(ErrorCode::network_exception,
                               "write: the connection was closed meanwhile");
        } else if (errno != EINTR) {
            co_return failed("write", errno);
        }
    }
    co_return ok();
}

Task<Result<void>> TcpStream::send_file(const File& file, std::uint64_t position,
                                        std::uint64_t length) {
    const auto* const source = dynamic_cast<const PosixFile*>(&file);
    INVARIANT(source != nullptr, "send_file of a file that another Env opened");
    auto offset = static_cast<off_t>(position);
    while (length > 0) {
        if (descriptor_ < 0) co_return closed("sendfile");
        const auto step = static_cast<std::size_t>(std::min(length, kSendFileBytesMax));
        const ssize_t count = ::sendfile(descriptor_, source->descriptor(), &offset, step);
        if (count > 0) {
            length -= static_cast<std::uint64_t>(count);
        } else if (count == 0) {
            co_return fail(ErrorCode::network_exception,
                           fmt::format("sendfile {}: {} ends {} bytes early", remote_.text(),
                                       file.path(), length));
        } else if (errno == EAGAIN) {
            const auto [aborted] = co_await socket_.async_wait(TcpSocket::wait_write, kWait);
            if (aborted)
                co_return fail(ErrorCode::network_exception,
                               "sendfile: the connection was closed meanwhile");
        } else if (errno != EINTR) {
            co_return failed("sendfile", errno);
        }
    }
    co_return ok();
}

void TcpStream::close() {
    if (descriptor_ < 0) return;
    descriptor_ = -1;
    boost::system::error_code nothing_to_do;
    socket_.close(nothing_to_do);
}

}  // namespace milena::env

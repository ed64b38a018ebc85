// SPDX-License-Identifier: Apache-2.0
// The system calls of a connection. Whoever closes or destroys it while a call waits aborts that
// wait.
#include "tcp/tcp_stream.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/smart_ptr/make_local_shared.hpp>

#include "io_pieces.h"
#include "milena/base/invariant.h"
#include "posix/posix_file.h"
#include "tcp/network_error.h"

namespace milena::env {
namespace {

using boost::system::error_code;

constexpr auto kWait = boost::asio::as_tuple(boost::asio::deferred);
/// A client that sends without a pause is read that many times before others are served.
constexpr int kReadsWithoutWaitMax = 64;
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

struct TcpStream::Connected {
    explicit Connected(TcpSocket from)
        : socket(std::move(from)), descriptor(socket.native_handle()) {
        error_code gone;  // a peer that left meanwhile has no address; the first read tells
        remote = endpoint_of(socket.remote_endpoint(gone));
        local = endpoint_of(socket.local_endpoint(gone));
        socket.set_option(boost::asio::ip::tcp::no_delay(true), gone);
        socket.set_option(boost::asio::socket_base::keep_alive(true), gone);
    }

    std::unexpected<Error> failed(std::string_view call, int error_number) const {
        return network_failure(call, remote, error_number);
    }
    std::unexpected<Error> closed(std::string_view call) const {
        return network_failure(call, remote, "the connection is closed");
    }

    TcpSocket socket;
    int descriptor;  ///< -1 once closed
    int reads_without_wait = 0;
    bool drained = false;  ///< the last read took all there was
    Endpoint remote;
    Endpoint local;
};

TcpStream::TcpStream(TcpSocket socket)
    : connected_(boost::make_local_shared<Connected>(std::move(socket))) {}

TcpStream::~TcpStream() {
    close();
}

Task<Result<std::size_t>> TcpStream::read_some(MutableBytes into) {
    const auto self = connected_;
    // Its bytes come as fast as they are read: the core's other connections want a turn.
    if (++self->reads_without_wait > kReadsWithoutWaitMax) {
        self->reads_without_wait = 0;
        co_await boost::asio::post(self->socket.get_executor(), kWait);
    }
    while (self->descriptor >= 0 && !self->drained) {
        const ssize_t count = ::recv(self->descriptor, into.data(), into.size(), MSG_DONTWAIT);
        if (count >= 0) {
            self->drained = static_cast<std::size_t>(count) < into.size();
            co_return static_cast<std::size_t>(count);
        }
        if (errno == EAGAIN) break;
        if (errno != EINTR) co_return self->failed("read", errno);
    }
    if (self->descriptor < 0) co_return self->closed("read");
    // There is probably nothing yet. Asio asks once and then waits without a call to arm the
    // reactor, which async_wait() would make.
    self->reads_without_wait = 0;
    const auto [error, count] =
        co_await self->socket.async_read_some(boost::asio::buffer(into.data(), into.size()), kWait);
    self->drained = count < into.size();
    if (self->descriptor < 0) co_return self->closed("read");
    if (error && error != boost::asio::error::eof) co_return self->failed("read", error.value());
    co_return count;
}

bool TcpStream::readable() const {
    ::pollfd waits{connected_->descriptor, POLLIN, 0};
    return waits.fd >= 0 && ::poll(&waits, 1, 0) > 0;
}

Task<Result<void>> TcpStream::write(std::span<const BytesView> pieces) {
    const auto self = connected_;
    IoPieces left(pieces);
    while (!left.empty()) {
        if (self->descriptor < 0) co_return self->closed("write");
        const auto next = left.next();
        ::msghdr message{};
        message.msg_iov = next.data();
        message.msg_iovlen = next.size();
        const ssize_t count = ::sendmsg(self->descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0) {
            left.advance(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            co_await self->socket.async_wait(TcpSocket::wait_write, kWait);
        } else if (errno != EINTR) {
            co_return self->failed("write", errno);
        }
    }
    co_return ok();
}

Task<Result<void>> TcpStream::send_file(const File& file, std::uint64_t position,
                                        std::uint64_t length) {
    const auto self = connected_;
    const auto* const source = dynamic_cast<const PosixFile*>(&file);
    INVARIANT(source != nullptr, "send_file of a file that another Env opened");
    auto offset = static_cast<off_t>(position);
    DescriptorLease open;
    while (length > 0) {
        if (self->descriptor < 0) co_return self->closed("sendfile");
        if (!open) {
            CO_TRY(open, source->lease());
        }
        const auto step = static_cast<std::size_t>(std::min(length, kSendFileBytesMax));
        const ssize_t count = ::sendfile(self->descriptor, open.number(), &offset, step);
        if (count > 0) {
            length -= static_cast<std::uint64_t>(count);
        } else if (count == 0) {
            co_return network_failure("sendfile", self->remote,
                                      fmt::format("{} ends {} bytes early", file.path(), length));
        } else if (errno == EAGAIN) {
            if (source->should_lend()) open = DescriptorLease();
            co_await self->socket.async_wait(TcpSocket::wait_write, kWait);
        } else if (errno != EINTR) {
            co_return self->failed("sendfile", errno);
        }
    }
    co_return ok();
}

Result<void> TcpStream::move_to(Executor owner) {
    if (connected_->descriptor < 0) return connected_->closed("move");
    error_code error;
    const auto protocol = connected_->socket.local_endpoint(error).protocol();
    const int descriptor = connected_->socket.release(error);
    if (error) {
        close();
        return connected_->failed("move", error.value());
    }
    TcpSocket socket(owner);
    socket.assign(protocol, descriptor, error);
    if (error) {
        ::close(std::exchange(connected_->descriptor, -1));
        return connected_->failed("move", error.value());
    }
    connected_->socket = std::move(socket);
    connected_->drained = false;
    return ok();
}

void TcpStream::close() {
    if (connected_->descriptor < 0) return;
    connected_->descriptor = -1;
    error_code nothing_to_do;
    connected_->socket.close(nothing_to_do);
}

const Endpoint& TcpStream::remote() const {
    return connected_->remote;
}

const Endpoint& TcpStream::local() const {
    return connected_->local;
}

}  // namespace milena::env

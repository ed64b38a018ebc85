// SPDX-License-Identifier: Apache-2.0
// A TCP connection. Every call first tries the system call on the non-blocking socket and waits,
// through Asio, only where it would block: a busy connection reads and writes without a trip
// through the event loop.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/smart_ptr/local_shared_ptr.hpp>

#include "milena/env/network.h"

namespace milena::env {

using TcpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;

/// An address as Endpoint; an IPv4 address that came through an IPv6 socket prints as IPv4.
Endpoint endpoint_of(const boost::asio::ip::tcp::endpoint& address);

class TcpStream final : public Stream {
public:
    /// Takes a connected, non-blocking socket.
    explicit TcpStream(TcpSocket socket);
    ~TcpStream() override;

    Task<Result<std::size_t>> read_some(MutableBytes into) override;
    bool readable() const override;
    Task<Result<void>> write(std::span<const BytesView> pieces) override;
    Task<Result<void>> send_file(const File& file, std::uint64_t position,
                                 std::uint64_t length) override;
    Result<void> move_to(Executor owner) override;
    void close() override;
    const Endpoint& remote() const override;
    const Endpoint& local() const override;

private:
    struct Connected;
    // Calls that wait hold it, so the stream may be closed or destroyed under them. The count needs
    // no atomics: all is on the owner's thread.
    boost::local_shared_ptr<Connected> connected_;
};

}  // namespace milena::env

// SPDX-License-Identifier: Apache-2.0
// A listening TCP socket. It waits on its owner's thread and deals connections to any core.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>

#include "tcp/tcp_stream.h"

namespace milena::env {

class DescriptorCache;

using TcpListener = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;

class TcpAcceptor final : public Acceptor {
public:
    /// Takes a listening, non-blocking socket. Where connections find no descriptor, `files` gives
    /// some up.
    TcpAcceptor(TcpListener listener, DescriptorCache& files);
    ~TcpAcceptor() override { close(); }

    Task<Result<std::unique_ptr<Stream>>> accept(Executor owner) override;
    void close() override;
    const Endpoint& local() const override { return listening_->local; }

private:
    /// Held by a call that waits, so that the acceptor may be destroyed under it.
    struct Listening {
        TcpListener socket;
        Endpoint local;
        DescriptorCache& files;

        bool is_next_low();
        bool has_room();
    };
    std::shared_ptr<Listening> listening_;
};

/// See Network::listen; resolves the host in place. See TcpAcceptor for `files`.
Result<std::unique_ptr<Acceptor>> listen_tcp(const Endpoint& endpoint, Executor owner,
                                             DescriptorCache& files);

}  // namespace milena::env

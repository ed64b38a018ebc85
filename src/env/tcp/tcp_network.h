// SPDX-License-Identifier: Apache-2.0
// The network door of the real world.
#pragma once

#include "milena/env/network.h"

namespace milena::env {

class DescriptorCache;

/// The system's TCP.
class TcpNetwork final : public Network {
public:
    /// Where sockets find no descriptor, `files` gives some up.
    explicit TcpNetwork(DescriptorCache& files) : files_(files) {}

    Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, Executor owner) override;
    Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Executor owner,
                                                  Instant give_up) override;
    using Network::connect;

private:
    DescriptorCache& files_;
};

}  // namespace milena::env

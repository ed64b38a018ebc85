// SPDX-License-Identifier: Apache-2.0
// The network door of the real world.
#pragma once

#include "milena/env/network.h"

namespace milena::env {

/// The system's TCP. Has no state.
class TcpNetwork final : public Network {
public:
    Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, Executor owner) override;
    Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Executor owner,
                                                  Instant give_up) override;
    using Network::connect;
};

}  // namespace milena::env

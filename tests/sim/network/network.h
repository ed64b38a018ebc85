// SPDX-License-Identifier: Apache-2.0
// The network door of one simulated node. Hosts are reached by the names of their nodes.
#pragma once

#include "milena/env/network.h"
#include "sim/clock.h"
#include "sim/faults.h"
#include "sim/network/fabric.h"

namespace milena::sim {

class SimNetwork final : public env::Network {
public:
    SimNetwork(Fabric& fabric, Host& host, const SimClock& clock, FaultPlan& faults)
        : fabric_(fabric), host_(host), clock_(clock), faults_(faults) {}

    Result<std::unique_ptr<env::Acceptor>> listen(const env::Endpoint& endpoint,
                                                  env::Executor owner) override;
    env::Task<Result<std::unique_ptr<env::Stream>>> connect(env::Endpoint endpoint,
                                                            env::Executor owner,
                                                            env::Instant give_up) override;
    using Network::connect;

    /// Where the coroutines of the process that lives now wait.
    void begin_life(std::shared_ptr<Parking> parking) { parking_ = std::move(parking); }

private:
    Host* find(const std::string& name) const;

    Fabric& fabric_;
    Host& host_;
    const SimClock& clock_;
    FaultPlan& faults_;
    std::shared_ptr<Parking> parking_;
};

}  // namespace milena::sim

// SPDX-License-Identifier: Apache-2.0
// The controller of this node: carries the decisions of the Controller core to the quorum and the
// answers back. While this node leads the quorum it decides; else every request is NOT_CONTROLLER.
// All of it runs on the control thread; the requests may be made from any executor.
//
//   request -> decision -> append scheduled -> applied at once -> committed -> in the published
//   image -> answer
#pragma once

#include <map>
#include <memory>

#include "milena/base/logger.h"
#include "milena/controller/controller.h"
#include "milena/controller/gateway.h"
#include "milena/drivers/quorum.h"
#include "milena/env/env.h"
#include "milena/server/heartbeat_watch.h"

namespace milena::drivers {

class MetadataPublisher;

/// What the active controller alone knows of brokers.
struct BrokerFigures {
    /// Sessions that have ended since it is active.
    std::uint64_t sessions_timed_out = 0;
    /// How long ago each unfenced broker was heard of.
    std::map<BrokerId, env::Duration> silence;
};

/// A listener of the quorum, which must be started with it and with `publisher`.
class ControllerHost : public controller::Gateway,
                       public QuorumListener,
                       public server::HeartbeatWatch {
public:
    /// `quorum` and `publisher` are used until stop(). Requests that have not been answered are
    /// bounded by kParkedMax; one more is THROTTLING_QUOTA_EXCEEDED. On the control thread, or
    /// before it runs.
    static std::shared_ptr<ControllerHost> make(env::Env& env, Logger logger,
                                                controller::Options options, Quorum& quorum,
                                                MetadataPublisher& publisher);

    /// Decides nothing any more; what is parked is answered NOT_CONTROLLER. On the control thread.
    virtual void stop() = 0;
    /// Whether this node decides. On the control thread.
    virtual bool is_active() const = 0;
    /// Nothing where it is not active. On the control thread.
    virtual BrokerFigures broker_figures() const = 0;

    static constexpr std::size_t kParkedMax = 10'000;
};

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// The way of clients' requests to the active controller: here while this node decides, else in an
// Envelope to the quorum's leader (KIP-590), over a connection of their own, so that no heartbeat
// waits behind them. All on the control thread; requests come from any executor.
#pragma once

#include <memory>

#include "milena/drivers/controller.h"
#include "milena/drivers/quorum.h"
#include "milena/server/controller_port.h"
#include "milena/telemetry/histogram.h"
#include "milena/telemetry/page.h"

namespace milena::drivers {

class LeaderClient;
class MetadataPublisher;

/// What of this node it works with; all outlive every call.
struct ForwardingParts {
    BrokerId self = kNoBroker;
    const ControllerHost& local;
    const Quorum& quorum;
    MetadataPublisher& publisher;
};

/// A listener of the quorum, which must be started with it.
class Forwarding final : public server::ControllerPort, public QuorumListener {
public:
    Forwarding(env::Env& env, Logger logger, ForwardingParts parts);
    ~Forwarding() override;

    /// Everything that is on its way, and whatever comes, is NOT_CONTROLLER. On the control thread.
    void stop();
    /// kafka.server ForwardingManager. On the control thread.
    void write_metrics(telemetry::Page& page) const;

    env::Task<Result<Reached>> ask(server::ForwardedRequest request,
                                   env::Instant deadline) override;
    env::Task<void> catch_up(env::Instant deadline) override;
    env::Task<BrokerId> active_controller() override;

    void on_snapshot(const MetadataSnapshot&) override {}
    void on_committed(std::span<const MetadataBatch>) override {}
    void on_leader_change(LeaderEpoch epoch, BrokerId leader, bool is_self) override;
    void on_failed(const Error&) override {}

    /// One more is THROTTLING_QUOTA_EXCEEDED, however few bytes; and so is one more byte, unless it
    /// is alone.
    static constexpr std::size_t kRequestsMax = 1000;
    static constexpr std::size_t kBytesMax = 64U << 20;

private:
    struct OnItsWay;
    env::Task<Result<Reached>> ask_on_control(server::ForwardedRequest request,
                                              env::Instant deadline);
    env::Task<Result<std::optional<Reached>>> try_once(const server::ForwardedRequest& request);
    Result<std::optional<Reached>> settle(ErrorCode code, BrokerId controller);
    env::Task<void> catch_up_on_control(env::Instant deadline);
    env::Task<std::optional<Offset>> committed_end();

    env::Env& env_;
    Logger log_;
    LogLimit refusals_{std::chrono::seconds(10)};
    const ForwardingParts parts_;
    std::unique_ptr<LeaderClient> leader_;
    /// Behind nobody's request.
    std::unique_ptr<LeaderClient> questions_;
    std::size_t requests_ = 0;
    std::size_t bytes_ = 0;
    telemetry::Histogram remote_us_;
    telemetry::Histogram queue_us_;
    bool stopped_ = false;
};

}  // namespace milena::drivers

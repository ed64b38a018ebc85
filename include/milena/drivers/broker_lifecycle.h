// SPDX-License-Identifier: Apache-2.0
// This broker's standing with the controller: it registers once per process, then sends heartbeats
// that keep it unfenced, and at the end asks to be let go (KIP-631). On the control thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "milena/base/logger.h"
#include "milena/controller/gateway.h"
#include "milena/env/env.h"
#include "milena/server/served_image.h"

namespace milena::drivers {

struct BrokerLifecycleOptions {
    controller::RegisterBrokerRequest registration;
    env::Duration heartbeat_interval = std::chrono::seconds(2);
    /// Registering, and coming to be unfenced, may take this long in all.
    env::Duration registration_timeout = std::chrono::seconds(60);
    /// broker.session.timeout.ms: whoever holds this id for longer is alive.
    env::Duration session_timeout = std::chrono::seconds(9);
    /// When the registration of that epoch was made, if it is known.
    std::function<std::optional<env::Timestamp>(BrokerEpoch)> registered_at;
    /// log.dir.failure.timeout.ms: for so long the controller may be unaware of a failed directory.
    env::Duration directory_failure_timeout = std::chrono::seconds(30);
    /// It was unaware for longer.
    std::function<void()> when_unreported;
    /// How long a controlled shutdown may take.
    env::Duration shutdown_timeout = std::chrono::seconds(5);
};

class BrokerLifecycle {
public:
    BrokerLifecycle(env::Env& env, Logger log, BrokerLifecycleOptions options,
                    controller::Gateway& controller, server::ServedImage& served);

    /// Registers, waits until the served image has the registration, and is unfenced. Heartbeats go
    /// on from then until shut_down(). Fails if the controller refuses (say, another process has
    /// this id) or the time is over.
    env::Task<Result<BrokerEpoch>> start();
    /// Another controller decides: it hears of this broker at once, and not with the next
    /// heartbeat.
    void greet_controller() {
        ++controllers_;
        pause_.notify();
    }
    /// All log directories that have failed so far: the controller hears of them at once, and with
    /// every heartbeat (KIP-858).
    void directories_failed(std::vector<Uuid> ids);
    /// This node can't follow the metadata any more: a start that is under way fails soon.
    void abandon() { abandoned_ = true; }
    /// Controlled shutdown: returns when the controller has moved away what this broker led, or
    /// after its timeout.
    env::Task<void> shut_down();

    BrokerEpoch epoch() const { return epoch_; }

private:
    env::Task<Result<void>> register_with_controller(env::Instant deadline);
    std::string holder() const;
    env::Task<Result<void>> wait_until_unfenced(env::Instant deadline);
    env::Task<Result<controller::BrokerHeartbeatReply>> beat(bool want_shutdown);
    env::Task<void> keep_beating();
    /// The controller has answered a heartbeat with so many failed directories, or has not.
    void note_reported(bool is_answered, std::size_t directories);

    env::Env& env_;
    Logger log_;
    BrokerLifecycleOptions options_;
    controller::Gateway& controller_;
    server::ServedImage& served_;
    BrokerEpoch epoch_{-1};
    std::vector<Uuid> failed_directories_;
    env::Instant unreported_since_ = env::kNever;
    std::uint64_t controllers_ = 0;  ///< that decided, one after the other
    env::Wakeup pause_;              ///< between heartbeats; cut short by shut_down()
    env::Wakeup ended_;
    bool abandoned_ = false;
    bool stopping_ = false;
    bool beating_ = false;
};

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// Makes this node's controller known to the cluster (KIP-919): where it listens and what it can do,
// once per process. On the control thread.
#pragma once

#include "milena/base/logger.h"
#include "milena/controller/gateway.h"
#include "milena/env/env.h"

namespace milena::drivers {

class ControllerRegistration {
public:
    ControllerRegistration(env::Env& env, Logger log,
                           controller::RegisterControllerRequest registration,
                           controller::Gateway& controller);

    /// Registers in the background, again and again until it is done.
    void start();
    env::Task<void> stop();

private:
    env::Task<void> run();

    env::Env& env_;
    Logger log_;
    controller::RegisterControllerRequest registration_;
    controller::Gateway& controller_;
    env::Wakeup pause_;
    env::Wakeup ended_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace milena::drivers

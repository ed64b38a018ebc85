// SPDX-License-Identifier: Apache-2.0
// Writes the offset checkpoints now and then, so that a crash costs a scan of little: high
// watermarks, log starts and recovery points. On the control thread; the writing is done in the
// disk pool.
#pragma once

#include "milena/base/logger.h"
#include "milena/env/env.h"
#include "milena/replication/replicas.h"

namespace milena::drivers {

class Checkpoints {
public:
    /// `interval` is replica.high.watermark.checkpoint.interval.ms.
    Checkpoints(env::Env& env, Logger log, replication::Replicas& replicas, env::Duration interval);

    void start();
    env::Task<void> stop();

private:
    env::Task<void> run();

    env::Env& env_;
    Logger log_;
    replication::Replicas& replicas_;
    env::Duration interval_;
    env::Wakeup pause_;
    env::Wakeup ended_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// Deletes what topics keep no longer: old segments at log.retention.check.interval.ms, and the
// files of deleted segments and partitions when their delay is over. On the control thread; the
// work is done in the disk pool, in pieces, so that it does not keep others out.
#pragma once

#include "milena/env/env.h"
#include "milena/replication/replicas.h"

namespace milena::drivers {

class Retention {
public:
    /// `interval` is log.retention.check.interval.ms.
    Retention(env::Env& env, replication::Replicas& replicas, env::Duration interval);

    void start();
    env::Task<void> stop();

private:
    env::Task<void> run();

    env::Env& env_;
    replication::Replicas& replicas_;
    const env::Duration interval_;
    env::Wakeup work_;
    env::Wakeup ended_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace milena::drivers

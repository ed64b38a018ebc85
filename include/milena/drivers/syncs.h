// SPDX-License-Identifier: Apache-2.0
// Syncs the logs that ask for it (flush.messages, flush.ms, a segment that was closed), off the
// threads that append. All appends that wait for one log share one sync. One log of each directory
// is synced at a time, two if there is one directory only: so that the disk pool has threads left,
// and a directory that stalls does not hold up the others. On the control thread.
#pragma once

#include <memory>
#include <vector>

#include "milena/env/env.h"
#include "milena/replication/replicas.h"

namespace milena::drivers {

class Syncs {
public:
    /// `interval` is log.flush.scheduler.interval.ms: how often flush.ms is looked at.
    Syncs(env::Env& env, replication::Replicas& replicas, env::Duration interval);

    void start();
    env::Task<void> stop();

private:
    env::Task<void> watch();
    env::Task<void> work(env::Wakeup& more, std::size_t directory);
    void left();

    env::Env& env_;
    replication::Replicas& replicas_;
    const env::Duration interval_;
    std::vector<std::unique_ptr<env::Wakeup>> more_;  ///< one a worker
    env::Wakeup pause_;
    env::Wakeup ended_;
    bool stopping_ = false;
    int running_ = 0;
};

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// Carries moves of replicas between this node's log directories: a piece of each in turn, no faster
// than the quota allows, until each has caught up and taken over (KIP-113). On the control thread;
// what is copied is copied in the disk pool, in the turn of the directory that it is written to.
#pragma once

#include <functional>

#include "milena/env/env.h"
#include "milena/replication/quotas.h"
#include "milena/replication/replicas.h"

namespace milena::drivers {

class DirectoryMoves {
public:
    struct Parts {
        replication::Replicas& replicas;
        /// replica.alter.log.dirs.io.max.bytes.per.second
        replication::ReplicationQuota& quota;
        /// The controller is to hear where replicas of this topic lie.
        std::function<void(Uuid topic)> announce;
    };
    /// What is referred to outlives stop().
    DirectoryMoves(env::Env& env, Parts parts);

    void start();
    /// Finishes the piece that is being copied.
    env::Task<void> stop();

private:
    env::Task<void> run();
    /// True if there is more to copy at once.
    env::Task<bool> advance(replication::MoveKey key);

    env::Env& env_;
    const Parts parts_;
    replication::Moves& moves_;
    env::Wakeup work_;
    env::Wakeup ended_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace milena::drivers

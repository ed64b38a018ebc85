// SPDX-License-Identifier: Apache-2.0
// Parked produces whose time comes while their partition is quiet. One a core: whoever parks a
// request names the partition and the deadline here, and a loop tells the partition when it is due.
// One entry a partition at most, since a partition knows its own earliest deadline.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "milena/env/env.h"
#include "milena/replication/partition.h"

namespace milena::server {

class Deadlines {
public:
    Deadlines(env::Env& env, env::Executor owner) : env_(env), wakeup_(env, owner) {}

    /// `partition` is asked to expire what is due at `when`. On the owner's thread.
    void watch(env::Instant when, const std::shared_ptr<replication::Partition>& partition);
    /// Runs until stop().
    env::Task<void> run();
    void stop();

private:
    struct Watched {
        const replication::Partition* key = nullptr;
        std::weak_ptr<replication::Partition> partition;
    };
    using Due = std::multimap<env::Instant, Watched>;

    env::Env& env_;
    env::Wakeup wakeup_;
    Due due_;
    std::unordered_map<const replication::Partition*, Due::iterator> watched_;
    bool stopped_ = false;
};

}  // namespace milena::server

// SPDX-License-Identifier: Apache-2.0
// Lets every partition forget the producers that were silent for too long, now and then. On the
// control thread; the looking is done in the disk pool.
#pragma once

#include "milena/env/env.h"
#include "milena/replication/partition.h"

namespace milena::drivers {

class ProducerExpiration {
public:
    /// All that may know of producers.
    using Partitions = std::function<std::vector<std::shared_ptr<replication::Partition>>()>;

    /// `interval` is producer.id.expiration.check.interval.ms.
    ProducerExpiration(env::Env& env, Partitions partitions, env::Duration interval);

    void start();
    env::Task<void> stop();

private:
    env::Task<void> run();

    env::Env& env_;
    Partitions partitions_;
    env::Duration interval_;
    env::Wakeup pause_;
    env::Wakeup ended_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace milena::drivers

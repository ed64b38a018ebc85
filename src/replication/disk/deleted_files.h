// SPDX-License-Identifier: Apache-2.0
// Files and directories that have left their log or their topic and are still on the disk until
// their delay is over (file.delete.delay.ms), as in Kafka: what lies here is named so that a start
// removes it too. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "milena/base/logger.h"
#include "milena/env/env.h"
#include "milena/env/guarded.h"

namespace milena::replication {

class DeletedFiles {
public:
    DeletedFiles(env::Env& env, Logger logger) : env_(env), logger_(std::move(logger)) {}

    /// From now on `tell` hears, on any thread, that there is something new to remove.
    void when_added(std::function<void()> tell);
    void add(std::vector<std::string> paths, env::Duration delay);

    /// Removes what is due, at most `paths_max`, and gives when the next is: in the past if there
    /// is more, kNever if nothing waits. What can't be removed is left to the next start.
    env::Instant remove_due(std::size_t paths_max);

private:
    struct State {
        std::multimap<env::Instant, std::string> waiting;
        std::function<void()> tell;
    };

    env::Env& env_;
    Logger logger_;
    env::Guarded<State> state_;
};

}  // namespace milena::replication

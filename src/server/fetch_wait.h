// SPDX-License-Identifier: Apache-2.0
// A fetch that has not found enough yet: hears of its partitions' news from other threads and wakes
// the connection's coroutine, which asks again only those that have some.
#pragma once

#include <memory>
#include <vector>

#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "milena/replication/partition.h"

namespace milena::server {

class FetchWait : public std::enable_shared_from_this<FetchWait> {
public:
    FetchWait(env::Env& env, env::Executor owner, std::size_t partitions);

    /// Tells this wait of the news of the partition with that number; dies with the wait.
    std::weak_ptr<replication::FetchListener> listener(std::size_t partition);
    /// Partitions with news since the last call; nothing if `deadline` came or end() was called.
    env::Task<std::vector<std::uint32_t>> news(env::Instant deadline);
    /// Wakes news() for good; from any thread.
    std::function<void()> end();

private:
    struct Listener final : replication::FetchListener {
        void partition_has_news() override { wait->add(number); }
        FetchWait* wait = nullptr;
        std::uint32_t number = 0;
    };
    struct Marks {
        std::vector<bool> marked;
        std::vector<std::uint32_t> order;
    };
    void add(std::uint32_t partition);

    env::Wakeup wakeup_;
    std::vector<Listener> listeners_;
    env::Guarded<Marks> marks_;
};

}  // namespace milena::server

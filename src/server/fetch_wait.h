// SPDX-License-Identifier: Apache-2.0
// A fetch that has not found enough yet: hears of its partitions' news from other threads and wakes
// the connection's coroutine, which asks again only those that have some. Kept for the next fetch.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "milena/replication/partition.h"

namespace milena::server {

class FetchWait : public std::enable_shared_from_this<FetchWait> {
public:
    FetchWait(env::Env& env, env::Executor owner) : wakeup_(env, owner) {}

    /// Another fetch, of so many partitions, waits from now on.
    void begin(std::size_t partitions);
    /// Tells this wait of the news of the partition with that number.
    std::shared_ptr<replication::FetchListener> listener(std::size_t partition) {
        return {shared_from_this(), &listeners_[partition]};
    }
    /// Waits for news; false if `deadline` came first. `out` are the partitions with news since the
    /// last call: maybe none, after end() or late news of the fetch before.
    env::Task<bool> news(env::Instant deadline, std::vector<std::uint32_t>& out);
    /// Wakes news(). On the owner's thread.
    void end() { wakeup_.notify(); }

private:
    struct Listener final : replication::FetchListener {
        Listener(FetchWait& its_wait, std::uint32_t its_number)
            : wait(its_wait), number(its_number) {}
        void partition_has_news() override { wait.add(number); }
        FetchWait& wait;
        const std::uint32_t number;
    };
    struct Marks {
        std::vector<bool> marked;
        std::vector<std::uint32_t> order;
    };
    void add(std::uint32_t partition);

    env::Wakeup wakeup_;
    std::deque<Listener> listeners_;  ///< they stay where they are
    env::Guarded<Marks> marks_;
};

}  // namespace milena::server

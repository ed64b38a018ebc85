// SPDX-License-Identifier: Apache-2.0
// Marks of partitions with news, and the wake-up of the fetch that waits for them.
#include "fetch_wait.h"

namespace milena::server {

FetchWait::FetchWait(env::Env& env, env::Executor owner, std::size_t partitions)
    : wakeup_(env, owner), listeners_(partitions) {
    for (std::size_t i = 0; i < partitions; ++i) {
        listeners_[i].wait = this;
        listeners_[i].number = static_cast<std::uint32_t>(i);
    }
    marks_.with([&](Marks& marks) { marks.marked.resize(partitions); });
}

std::weak_ptr<replication::FetchListener> FetchWait::listener(std::size_t partition) {
    return std::shared_ptr<replication::FetchListener>(shared_from_this(), &listeners_[partition]);
}

void FetchWait::add(std::uint32_t partition) {
    const bool is_new = marks_.with([&](Marks& marks) {
        if (marks.marked[partition]) return false;
        marks.marked[partition] = true;
        marks.order.push_back(partition);
        return true;
    });
    if (is_new) wakeup_.notify();
}

env::Task<std::vector<std::uint32_t>> FetchWait::news(env::Instant deadline) {
    co_await wakeup_.wait_until(deadline);
    // The mark is cleared before the partition is read: what comes in between marks it again.
    co_return marks_.with([](Marks& marks) {
        for (const auto partition : marks.order) marks.marked[partition] = false;
        return std::exchange(marks.order, {});
    });
}

std::function<void()> FetchWait::end() {
    return wakeup_.handle();
}

}  // namespace milena::server

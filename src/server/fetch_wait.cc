// SPDX-License-Identifier: Apache-2.0
// Marks of partitions with news, and the wake-up of the fetch that waits for them.
#include "fetch_wait.h"

namespace milena::server {

void FetchWait::begin(std::size_t partitions) {
    while (listeners_.size() < partitions)
        listeners_.emplace_back(*this, static_cast<std::uint32_t>(listeners_.size()));
    marks_.with([&](Marks& marks) {
        marks.marked.assign(partitions, false);
        marks.order.clear();
    });
}

void FetchWait::add(std::uint32_t partition) {
    const bool is_new = marks_.with([&](Marks& marks) {
        // News for the fetch before, which had more partitions.
        if (partition >= marks.marked.size()) return false;
        if (marks.marked[partition]) return false;
        marks.marked[partition] = true;
        marks.order.push_back(partition);
        return true;
    });
    if (is_new) wakeup_.notify();
}

env::Task<bool> FetchWait::news(env::Instant deadline, std::vector<std::uint32_t>& out) {
    const bool woken = co_await wakeup_.wait_until(deadline);
    out.clear();
    // The mark is cleared before the partition is read: what comes in between marks it again.
    marks_.with([&](Marks& marks) {
        for (const auto partition : marks.order) marks.marked[partition] = false;
        out.swap(marks.order);
    });
    co_return woken;
}

}  // namespace milena::server

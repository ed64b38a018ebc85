// SPDX-License-Identifier: Apache-2.0
// One loop a core that expires what partitions have parked for too long.
#include "deadlines.h"

namespace milena::server {

void Deadlines::watch(env::Instant when, const std::shared_ptr<replication::Partition>& partition) {
    if (const auto known = watched_.find(partition.get()); known != watched_.end()) {
        if (known->second->first <= when) return;
        due_.erase(known->second);
    }
    const auto place = due_.emplace(when, Watched{partition.get(), partition});
    watched_[partition.get()] = place;
    if (place == due_.begin()) wakeup_.notify();
}

env::Task<void> Deadlines::run() {
    while (!stopped_) {
        const auto now = env_.clock().now();
        while (!due_.empty() && due_.begin()->first <= now) {
            const auto partition = due_.begin()->second.partition.lock();
            watched_.erase(due_.begin()->second.key);
            due_.erase(due_.begin());
            if (partition == nullptr) continue;
            if (const auto next = partition->expire(now); next != env::kNever)
                watch(next, partition);
        }
        co_await wakeup_.wait_until(due_.empty() ? env::kNever : due_.begin()->first);
    }
}

void Deadlines::stop() {
    stopped_ = true;
    wakeup_.notify();
}

}  // namespace milena::server

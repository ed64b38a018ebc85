// SPDX-License-Identifier: Apache-2.0
// Workers that wait for their directory's queue, and a watch over the age of what is not synced.
#include "milena/drivers/syncs.h"

namespace milena::drivers {

Syncs::Syncs(env::Env& env, replication::Replicas& replicas, env::Duration interval)
    : env_(env),
      replicas_(replicas),
      interval_(interval),
      pause_(env, env.control()),
      ended_(env, env.control()) {}

void Syncs::start() {
    const std::size_t directories = replicas_.write_lanes().size();
    const std::size_t workers = std::max<std::size_t>(directories, 2);
    for (std::size_t i = 0; i < workers; ++i)
        more_.push_back(std::make_unique<env::Wakeup>(env_, env_.control()));
    std::vector<std::function<void()>> handles;
    for (const auto& more : more_) handles.push_back(more->handle());
    replicas_.when_sync_queued([handles] {
        for (const auto& tell : handles) tell();
    });
    running_ = static_cast<int>(workers) + 1;
    for (std::size_t i = 0; i < workers; ++i)
        env::spawn(env_.control(), work(*more_[i], i % directories));
    env::spawn(env_.control(), watch());
}

env::Task<void> Syncs::work(env::Wakeup& more, std::size_t directory) {
    while (!stopping_) {
        co_await env_.offload(env::Pool::disk, [&] { replicas_.sync_queued(directory); });
        if (!stopping_) co_await more.wait_until(env::kNever);
    }
    left();
}

env::Task<void> Syncs::watch() {
    while (!stopping_) {
        co_await pause_.wait_until(env_.clock().now() + interval_);
        if (stopping_) break;
        co_await env_.offload(env::Pool::disk, [&] { replicas_.queue_due_syncs(); });
    }
    left();
}

void Syncs::left() {
    --running_;
    ended_.notify();
}

env::Task<void> Syncs::stop() {
    stopping_ = true;
    for (const auto& more : more_) more->notify();
    pause_.notify();
    while (running_ > 0) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// Two workers that share one queue, and a watch over the age of what is not synced.
#include "milena/drivers/syncs.h"

namespace milena::drivers {

Syncs::Syncs(env::Env& env, replication::Replicas& replicas, env::Duration interval)
    : env_(env),
      replicas_(replicas),
      interval_(interval),
      first_(env, env.control()),
      second_(env, env.control()),
      pause_(env, env.control()),
      ended_(env, env.control()) {}

void Syncs::start() {
    replicas_.when_sync_queued([first = first_.handle(), second = second_.handle()] {
        first();
        second();
    });
    running_ = 3;
    env::spawn(env_.control(), work(first_));
    env::spawn(env_.control(), work(second_));
    env::spawn(env_.control(), watch());
}

env::Task<void> Syncs::work(env::Wakeup& more) {
    while (!stopping_) {
        co_await env_.offload(env::Pool::disk, [&] { replicas_.sync_queued(); });
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
    first_.notify();
    second_.notify();
    pause_.notify();
    while (running_ > 0) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// One loop with two alarms: the next check, and the next file whose delay is over.
#include "milena/drivers/retention.h"

namespace milena::drivers {

Retention::Retention(env::Env& env, replication::Replicas& replicas, env::Duration interval)
    : env_(env),
      replicas_(replicas),
      interval_(interval),
      work_(env, env.control()),
      ended_(env, env.control()) {
    replicas_.when_deleted(work_.handle());
}

void Retention::start() {
    running_ = true;
    env::spawn(env_.control(), run());
}

env::Task<void> Retention::run() {
    env::Instant next_check = env_.clock().now() + interval_;
    while (!stopping_) {
        env::Instant next_removal = env::kNever;
        co_await env_.offload(env::Pool::disk, [&] { next_removal = replicas_.remove_deleted(); });
        if (stopping_) break;
        if (next_removal <= env_.clock().now()) continue;
        co_await work_.wait_until(std::min(next_check, next_removal));
        if (stopping_ || env_.clock().now() < next_check) continue;
        co_await env_.offload(env::Pool::disk, [&] { replicas_.enforce_retention(); });
        next_check = env_.clock().now() + interval_;
    }
    running_ = false;
    ended_.notify();
}

env::Task<void> Retention::stop() {
    stopping_ = true;
    work_.notify();
    while (running_) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// A loop that writes the offset checkpoints at their interval.
#include "milena/drivers/checkpoints.h"

namespace milena::drivers {

Checkpoints::Checkpoints(env::Env& env, Logger log, replication::Replicas& replicas,
                         env::Duration interval)
    : env_(env),
      log_(std::move(log)),
      replicas_(replicas),
      interval_(interval),
      pause_(env, env.control()),
      ended_(env, env.control()) {}

void Checkpoints::start() {
    running_ = true;
    env::spawn(env_.control(), run());
}

env::Task<void> Checkpoints::run() {
    bool failing = false;
    while (!stopping_) {
        co_await pause_.wait_until(env_.clock().now() + interval_);
        if (stopping_) break;
        Result<void> written;
        co_await env_.offload(env::Pool::disk, [&] { written = replicas_.checkpoint(); });
        if (!written && !failing)
            LOG_ERROR(log_, "offset checkpoints not written", kv("why", written.error().why));
        failing = !written;
    }
    running_ = false;
    ended_.notify();
}

env::Task<void> Checkpoints::stop() {
    stopping_ = true;
    pause_.notify();
    while (running_) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers

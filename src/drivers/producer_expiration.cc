// SPDX-License-Identifier: Apache-2.0
// A loop over all partitions at its interval.
#include "milena/drivers/producer_expiration.h"

namespace milena::drivers {

ProducerExpiration::ProducerExpiration(env::Env& env, Partitions partitions, env::Duration interval)
    : env_(env),
      partitions_(std::move(partitions)),
      interval_(interval),
      pause_(env, env.control()),
      ended_(env, env.control()) {}

void ProducerExpiration::start() {
    running_ = true;
    env::spawn(env_.control(), run());
}

env::Task<void> ProducerExpiration::run() {
    while (!stopping_) {
        co_await pause_.wait_until(env_.clock().now() + interval_);
        if (stopping_) break;
        co_await env_.offload(env::Pool::disk, [this] {
            const env::Timestamp now = env_.clock().wall();
            for (const auto& partition : partitions_()) partition->expire_producers(now);
        });
    }
    running_ = false;
    ended_.notify();
}

env::Task<void> ProducerExpiration::stop() {
    stopping_ = true;
    pause_.notify();
    while (running_) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers

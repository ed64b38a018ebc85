// SPDX-License-Identifier: Apache-2.0
// A loop that brings replicas up to the newest image, then serves it.
#include "milena/drivers/replica_driver.h"

namespace milena::drivers {

ReplicaDriver::ReplicaDriver(env::Env& env, replication::Replicas& replicas,
                             server::ServedImage& served)
    : env_(env),
      replicas_(replicas),
      served_(served),
      work_(env, env.control()),
      ended_(env, env.control()) {}

void ReplicaDriver::start(MetadataPublisher& publisher) {
    running_ = true;
    env::spawn(env_.control(), run());
    publisher.follow([this](const metadata::Update& update) { take(update); });
}

void ReplicaDriver::take(const metadata::Update& update) {
    if (stopping_) return;
    next_ = update.after;
    changed_.insert(update.changes.topics.begin(), update.changes.topics.end());
    for (const auto& resource : update.changes.configs) {
        if (resource.type != metadata::ResourceType::topic) continue;
        if (const auto topic = update.after->topics->find(resource.name))
            changed_.insert(topic->id);
    }
    served_.announce(next_->provenance.last_offset);
    work_.notify();
}

env::Task<void> ReplicaDriver::run() {
    while (!stopping_) {
        co_await work_.wait_until(env::kNever);
        while (next_ != nullptr && !stopping_) {
            const auto image = std::exchange(next_, nullptr);
            const std::vector<Uuid> changed(changed_.begin(), changed_.end());
            changed_.clear();
            if (!changed.empty()) {
                co_await env_.offload(env::Pool::disk, [&] { replicas_.apply(*image, changed); });
            }
            served_.publish(image);
        }
    }
    running_ = false;
    ended_.notify();
}

env::Task<void> ReplicaDriver::stop() {
    stopping_ = true;
    work_.notify();
    while (running_) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers

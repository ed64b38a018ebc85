// SPDX-License-Identifier: Apache-2.0
// A loop that brings replicas up to the newest image, then serves it.
#include "milena/drivers/replica_driver.h"

#include <fmt/format.h>

namespace milena::drivers {

ReplicaDriver::ReplicaDriver(env::Env& env, BrokerId self, replication::Replicas& replicas,
                             server::ServedImage& served)
    : env_(env),
      self_(fmt::to_string(self.value)),
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
    for (const auto& resource : update.changes.configs) take_config(*update.after, resource);
    served_.announce(next_->provenance.last_offset);
    work_.notify();
}

/// What a broker is configured to is the default of every topic.
void ReplicaDriver::take_config(const metadata::Image& image,
                                const metadata::ConfigResource& resource) {
    if (resource.type == metadata::ResourceType::topic) {
        if (const auto topic = image.topics->find(resource.name)) changed_.insert(topic->id);
    } else if (resource.type == metadata::ResourceType::broker &&
               (resource.name.empty() || resource.name == self_)) {
        for (const auto& [id, topic] : image.topics->by_id) changed_.insert(id);
    }
}

env::Task<void> ReplicaDriver::run() {
    while (!stopping_) {
        co_await work_.wait_until(env::kNever);
        while (next_ != nullptr && !stopping_) {
            const auto image = std::exchange(next_, nullptr);
            const std::vector<Uuid> changed(changed_.begin(), changed_.end());
            changed_.clear();
            std::vector<replication::PlacedReplica> misplaced;
            if (!changed.empty()) {
                co_await env_.offload(env::Pool::disk, [&] {
                    replicas_.apply(*image, changed);
                    if (applied_) misplaced = replicas_.misplaced(*image, changed);
                });
            }
            if (applied_) applied_({*image, changed, misplaced});
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

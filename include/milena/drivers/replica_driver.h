// SPDX-License-Identifier: Apache-2.0
// Makes this node's replicas what the metadata says, in the background and in order, and then
// serves the image to clients. Opening logs and making directories blocks, so it happens in the
// disk pool; what comes meanwhile is done together next, so the queue is one image and a set of
// topics, however far the replicas are behind.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>

#include "milena/drivers/metadata_publisher.h"
#include "milena/replication/replicas.h"
#include "milena/server/served_image.h"

namespace milena::drivers {

class ReplicaDriver {
public:
    /// All of it is called on the control thread; what is referred to outlives stop().
    ReplicaDriver(env::Env& env, BrokerId self, replication::Replicas& replicas,
                  server::ServedImage& served);

    /// What this node's replicas have come to.
    struct Applied {
        const metadata::Image& image;
        /// That may have changed; their replicas are what the image says.
        std::span<const Uuid> topics;
        /// Of these topics, replicas that lie elsewhere than it says.
        std::span<const replication::PlacedReplica> misplaced;
    };
    /// Whoever is to hear of each image, before it is served; before start().
    using WhenApplied = std::function<void(const Applied&)>;
    void when_applied(WhenApplied tell) { applied_ = std::move(tell); }
    /// Begins to follow `publisher`.
    void start(MetadataPublisher& publisher);
    /// Finishes what is being done and does nothing more.
    env::Task<void> stop();

private:
    void take(const metadata::Update& update);
    void take_config(const metadata::Image& image, const metadata::ConfigResource& resource);
    env::Task<void> run();

    env::Env& env_;
    const std::string self_;
    replication::Replicas& replicas_;
    server::ServedImage& served_;
    std::shared_ptr<const metadata::Image> next_;
    std::set<Uuid> changed_;
    WhenApplied applied_;
    env::Wakeup work_;
    env::Wakeup ended_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace milena::drivers

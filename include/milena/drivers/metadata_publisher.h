// SPDX-License-Identifier: Apache-2.0
// Makes images of what the quorum commits and tells everybody: one image per run of committed batches, followers in the
// order in which they came, on the control thread. Every node has one, controller or not.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "milena/base/logger.h"
#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "milena/metadata/loader.h"

namespace milena::drivers {

class MetadataPublisher {
public:
    /// Must be quick: the next image waits for it. What blocks belongs into a queue of the follower's own.
    using Follower = std::function<void(const metadata::Update&)>;

    MetadataPublisher(env::Env& env, Logger logger);
    ~MetadataPublisher();

    /// The newest image; from any thread. It never goes back.
    std::shared_ptr<const metadata::Image> image() const { return published_.load(); }

    /// Until the image holds `offset`; REQUEST_TIMED_OUT at `deadline`. From any executor. At most kWaitersMax wait;
    /// one more is THROTTLING_QUOTA_EXCEEDED.
    env::Task<Result<void>> wait_for_image(Offset offset, env::Instant deadline);

    /// `follower` is told of every update from now on; if the image is not the empty one, first of that as a whole.
    /// On the control thread, where it is also called.
    void follow(Follower follower);

    // The quorum's side, on the control thread.

    /// The next committed batches, in order. An error means that this node can't follow the metadata and must stop.
    Result<void> committed(std::span<const record::BatchView> batches);
    /// A snapshot in place of all before `provenance.last_offset`, itself included.
    Result<void> snapshot(std::span<const record::BatchView> batches, const metadata::Provenance& provenance);

    static constexpr std::size_t kWaitersMax = 10'000;

private:
    class Waiter;
    struct Waiters;
    void publish();

    env::Env& env_;
    Logger log_;
    metadata::Loader loader_;
    env::Published<metadata::Image> published_;
    std::vector<Follower> followers_;
    std::unique_ptr<Waiters> waiters_;
};

}  // namespace milena::drivers

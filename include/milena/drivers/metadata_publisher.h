// SPDX-License-Identifier: Apache-2.0
// Makes images of what the quorum commits and tells everybody: one image per run of committed
// batches, followers in the order in which they came, on the control thread. Every node has one,
// controller or not.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "milena/base/logger.h"
#include "milena/drivers/quorum.h"
#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "milena/metadata/loader.h"

namespace milena::drivers {

class MetadataPublisher : public QuorumListener {
public:
    /// Must be quick: the next image waits for it. What blocks belongs into a queue of the
    /// follower's own.
    using Follower = std::function<void(const metadata::Update&)>;

    /// `failed` is called, on the control thread, when the metadata can't be followed any further;
    /// the node must stop.
    MetadataPublisher(env::Env& env, Logger logger, std::function<void(const Error&)> failed);
    ~MetadataPublisher() override;

    /// The newest image; from any thread. It never goes back.
    std::shared_ptr<const metadata::Image> image() const { return published_.load(); }

    /// Until the image holds `offset`; REQUEST_TIMED_OUT at `deadline`. From any executor; goes on
    /// there. At most kWaitersMax wait; one more is THROTTLING_QUOTA_EXCEEDED.
    env::Task<Result<void>> wait_for_image(Offset offset, env::Instant deadline);

    /// `follower` is told of every update from now on, first of the image as it is if it is not the
    /// empty one. On the control thread, where it is also called.
    void follow(Follower follower);

    /// Whether the log holds a transaction whose end has not come, so that the image is the one
    /// from before it. On the control thread.
    bool in_transaction() const { return loader_.in_transaction(); }

    // The quorum's side, on the control thread.
    void on_snapshot(const MetadataSnapshot& snapshot) override;
    void on_committed(std::span<const MetadataBatch> batches) override;
    void on_leader_change(LeaderEpoch epoch, BrokerId leader, bool is_self) override;
    void on_failed(const Error& why) override;

    static constexpr std::size_t kWaitersMax = 10'000;

private:
    struct Waiting;
    env::Task<Result<void>> wait_on_control(Offset offset, env::Instant deadline);
    void publish();
    void give_up(const Error& why);

    env::Env& env_;
    Logger log_;
    std::function<void(const Error&)> failed_;
    metadata::Loader loader_;
    env::Published<metadata::Image> published_;
    std::vector<Follower> followers_;
    std::unique_ptr<Waiting> waiting_;
    bool has_failed_ = false;
};

}  // namespace milena::drivers

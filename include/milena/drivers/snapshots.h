// SPDX-License-Identifier: Apache-2.0
// Decides when this node's metadata becomes a snapshot, and has the quorum write the published
// image as one. By metadata.log.max.record.bytes.between.snapshots, and by
// metadata.log.max.snapshot.interval.ms if anything has changed since. On the control thread.
#pragma once

#include "milena/base/logger.h"
#include "milena/drivers/metadata_publisher.h"
#include "milena/drivers/quorum.h"

namespace milena::drivers {

struct SnapshotPolicy {
    std::uint64_t after_bytes = 20'971'520;
    /// Looked at when something is committed, as a quiet leader sees to.
    env::Duration after = std::chrono::hours(1);
};

/// What its metrics say.
struct SnapshotFigures {
    /// Of the newest snapshot that this process has written; before the first, of the one that it
    /// has loaded.
    std::uint64_t newest_bytes = 0;
    /// Since it was written; before the first, since the start.
    env::Duration newest_age{};
    /// How often a snapshot was loaded.
    std::uint64_t loaded = 0;
};

class Snapshots : public QuorumListener {
public:
    /// The quorum must be started with this listener behind `publisher`. All outlive stop().
    Snapshots(env::Env& env, Logger logger, SnapshotPolicy policy, Quorum& quorum,
              MetadataPublisher& publisher);

    /// Until what is being written has ended; after the quorum's stop().
    env::Task<void> stop();

    void on_snapshot(const MetadataSnapshot& snapshot) override;
    void on_committed(std::span<const MetadataBatch> batches) override;
    void on_leader_change(LeaderEpoch, BrokerId, bool) override {}
    void on_failed(const Error&) override { has_failed_ = true; }

    SnapshotFigures figures() const;

private:
    bool is_due() const;
    env::Task<void> write(std::shared_ptr<const metadata::Image> image);

    env::Env& env_;
    Logger log_;
    const SnapshotPolicy policy_;
    Quorum& quorum_;
    MetadataPublisher& publisher_;
    env::Wakeup ended_;

    Offset end_{0};                  ///< of what was handed over
    std::uint64_t bytes_since_ = 0;  ///< in the log behind the newest snapshot
    std::uint64_t bytes_taken_ = 0;  ///< of them, in the one that is being written
    bool has_changes_ = false;       ///< since then, other than of the offset
    bool writing_ = false;
    bool has_failed_ = false;
    env::Instant newest_at_;
    env::Instant not_before_{};  ///< after a failure
    std::uint64_t newest_bytes_ = 0;
    std::uint64_t loaded_ = 0;
};

}  // namespace milena::drivers

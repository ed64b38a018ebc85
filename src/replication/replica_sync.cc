// SPDX-License-Identifier: Apache-2.0
// When a replica's log is synced, and what a sync makes of the replica.
#include "replica.h"

namespace milena::replication {
namespace {

/// The end of a sync that had no log to sync.
constexpr Offset kNothingSynced{-1};

}  // namespace

void Replica::note_unsynced(AfterGuard& after) {
    const Offset durable = partition_log_->durable_end_offset();
    const bool is_due = partition_log_->log_end_offset() - durable >= settings_.flush_messages;
    if (is_due || partition_log_->has_unsynced_segments()) after.wants_sync |= turn_.want();
}

void Replica::sync_if_due(env::Instant now, AfterGuard& after) {
    if (stopped_ || offline()) return;
    if (!last_sync_) last_sync_ = now;
    const LogEnds ends = log_ends();
    if (ends.durable_end < ends.end && now - *last_sync_ >= settings_.flush_interval)
        after.wants_sync |= turn_.want();
}

storage::Log::PendingSync Replica::begin_sync() {
    turn_.begin();
    ++syncs_running_;
    storage::Log::PendingSync pending;
    if (is_swapping_) {
        pending.end = kNothingSynced;  // the log that is about to come is synced
    } else if (!closed_ends_ && !offline()) {
        pending = partition_log_->pending_sync();
    }
    return pending;
}

void Replica::synced(const storage::Log::PendingSync& done, env::Instant now, AfterGuard& after) {
    last_sync_ = now;
    if (closed_ends_ || offline() || done.end == kNothingSynced) return;
    partition_log_->mark_durable(done);
    if (LeaderCore* const core = leader())
        carry_out(core->synced(partition_log_->durable_end_offset(), now), after);
}

void Replica::end_sync(AfterGuard& after) {
    // After a failed sync the same files may be synced without an error, and without their records.
    const bool again = turn_.end();
    --syncs_running_;
    if (!offline()) after.wants_sync |= again;
}

void Replica::sync_failed(const Error& error, AfterGuard& after) {
    if (closed_ends_) return;  // a deleted log's files may be gone
    LOG_ERROR(logger_, "sync failed", kv("why", error.why));
    partition_log_->mark_offline();
    take_offline(after);
}

}  // namespace milena::replication

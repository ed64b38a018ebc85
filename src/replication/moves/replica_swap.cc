// SPDX-License-Identifier: Apache-2.0
// A replica goes on with another log, which has the same records in another directory (KIP-113).
#include "replica.h"

namespace milena::replication {

bool Replica::begin_swap() {
    if (stopped_ || closed_ends_ || offline() || is_writing_ || syncs_running_ > 0) return false;
    if (is_replacing_) return false;
    is_writing_ = is_swapping_ = true;
    return true;
}

void Replica::give_up_swap(env::Instant now, AfterGuard& after) {
    INVARIANT(is_swapping_, "the end of a swap that was not begun");
    is_writing_ = is_swapping_ = false;
    if (!closed_ends_ && !offline()) note_unsynced(after);
    take_next_state(now, after);
}

Result<std::unique_ptr<storage::Log>> Replica::end_swap(const Successor& successor,
                                                        env::Instant now, AfterGuard& after) {
    INVARIANT(is_swapping_, "the end of a swap that was not begun");
    Result<std::unique_ptr<storage::Log>> taken = fail(ErrorCode::kafka_storage_error, "closed");
    const LogEnds ends = log_ends();
    if (!stopped_ && !closed_ends_ && !offline()) taken = successor(ends.start, settings_.log);
    if (taken) {
        storage::Log& next = **taken;
        // Of a log that has lost all its batches, the epoch of the last is known to itself only.
        const bool is_empty = ends.start == ends.end;
        INVARIANT(next.log_start_offset() == ends.start && next.log_end_offset() == ends.end &&
                      (is_empty || next.last_epoch() == partition_log_->last_epoch()),
                  "a log is replaced by another than its copy");
        // An epoch that was begun and has no batch yet is in no copy of the batches.
        const LeaderEpoch epoch = partition_log_->epoch_at(ends.end);
        if (epoch > next.last_epoch()) {
            if (const auto begun = next.begin_epoch(epoch); !begun)
                taken = std::unexpected(begun.error());
        }
    }
    if (taken) {
        partition_log_.swap(*taken);
        if (LeaderCore* const core = leader())
            carry_out(core->synced(partition_log_->durable_end_offset(), now), after);
    }
    give_up_swap(now, after);
    return taken;
}

}  // namespace milena::replication

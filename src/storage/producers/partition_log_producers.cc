// SPDX-License-Identifier: Apache-2.0
// Producers and their transactions: learnt from what is appended, written down at each roll and at
// a clean stop, found again after a cut.
#include <algorithm>

#include "partition_log.h"
#include "producers/earlier_batches.h"
#include "producers/producer_replay.h"
#include "producers/producer_snapshot.h"

namespace milena::storage {

Result<void> PartitionLog::note_producers(BytesView batches) {
    while (!batches.empty()) {
        const record::BatchView batch = **record::first_batch(batches);
        const auto ended = note_batch(producers_, batch);
        if (ended && ended->is_abort) TRY_VOID(active().transaction_index().append(*ended));
        batches = batches.subspan(batch.size());
    }
    return ok();
}

/// At the log's end. Synced with the log. Without one there after a clean stop a start would take
/// it that there were no producers.
Result<void> PartitionLog::snapshot_producers() {
    FileWrite snapshot = snapshot_write(directory_, log_end_, producers_);
    TRY_VOID(snapshot.run(files_));
    ++names_made_;
    unsynced_.push_back({std::move(snapshot.file), names_made_});
    snapshot_at_ = log_end_;
    return ok();
}

Result<void> PartitionLog::reload_producers() {
    if (snapshot_at_ > log_end_) snapshot_at_ = Offset(-1);
    if (producers_.empty()) return ok();  // nobody is known now, so nobody was before
    TRY(const auto snapshots, list_snapshots(files_, directory_));
    TRY(snapshot_at_, replay_producers({files_, logger_, directory_, segments_, snapshots,
                                        clock_.wall(), options_.producer_expiration_ms},
                                       log_end_, producers_));
    return ok();
}

Result<std::optional<ProducedBatch>> PartitionLog::check_producer(const record::BatchView& batch) {
    if (producers_.lacks(batch)) recall_batches(segments_, producers_);
    return producers_.check(batch);
}

std::optional<Offset> PartitionLog::first_unstable_offset(Offset high_watermark) {
    const auto first = producers_.first_unstable(high_watermark);
    return first ? std::optional(std::max(*first, log_start_)) : std::nullopt;
}

/// No batch of the range reaches it.
Result<Offset> PartitionLog::upper_bound(std::size_t index, const FileRange& range) {
    TRY(const OffsetIndex::Entry behind,
        segments_[index]->offset_index().first_at(range.position + range.length));
    if (behind.position > 0) return behind.offset;
    return is_sealed(index) ? segments_[index + 1]->base() : log_end_;
}

Result<std::vector<AbortedTransaction>> PartitionLog::aborted_transactions(Offset from,
                                                                           const FileRange& range) {
    std::vector<AbortedTransaction> aborted;
    if (range.length == 0) return aborted;
    std::size_t index = segment_of(from);
    // The range may lie in a later segment, where compaction has left nothing in between.
    while (is_sealed(index) && segments_[index]->log_path() != range.file->path()) ++index;
    TRY(const Offset upper, upper_bound(index, range));
    for (; index < segments_.size(); ++index) {
        TRY(const bool is_complete,
            segments_[index]->transaction_index().collect(from, upper, aborted));
        if (is_complete) break;
    }
    std::ranges::sort(aborted, {}, &AbortedTransaction::first_offset);
    return aborted;
}

std::vector<ActiveProducer> PartitionLog::active_producers() const {
    std::vector<ActiveProducer> active;
    active.reserve(producers_.size());
    for (const ProducerEntry* const entry : producers_.sorted()) {
        active.push_back({entry->id, entry->epoch, entry->last_sequence(), entry->last_timestamp,
                          entry->coordinator_epoch, entry->transaction_start});
    }
    return active;
}

}  // namespace milena::storage

// SPDX-License-Identifier: Apache-2.0
// The one implementation of Log: segments in offset order, the last one active. What was loaded at
// start comes from log_loader.h; searches stand in partition_log_search.cc, what concerns producers
// in partition_log_producers.cc, deletion by age and size in partition_log_retention.cc, what a
// cleaner asks for in cleaner/partition_log_cleaning.cc.
#pragma once

#include <vector>

#include "epoch_cache.h"
#include "log_loader.h"
#include "milena/storage/cleaning.h"
#include "milena/storage/log.h"
#include "segment.h"

namespace milena::storage {

class PartitionLog final : public Log {
public:
    PartitionLog(env::Env& env, Logger logger, std::string directory, const LogOptions& options,
                 LoadedLog loaded);

    Offset log_start_offset() const override { return log_start_; }
    Offset log_end_offset() const override { return log_end_; }
    Offset durable_end_offset() const override { return durable_end_; }
    Offset first_segment_offset() const override { return segments_.front()->base(); }
    std::uint64_t size_bytes() const override { return size_bytes_; }
    std::size_t segment_count() const override { return segments_.size(); }
    LeaderEpoch last_epoch() const override { return last_epoch_; }
    Result<void> append(BytesView batches) override;
    Result<PendingAppend> begin_append(BytesView batches) override;
    Result<void> end_append(PendingAppend& append, Result<void> written) override;
    bool is_one_write(std::uint64_t bytes, std::int64_t records, Timestamp max_timestamp) override;
    Result<FileRange> read(Offset from, Offset upper, std::uint64_t bytes_max,
                           bool at_least_one) override;
    Result<std::optional<TimestampOffset>> find_timestamp(Timestamp when, Offset upper) override;
    Result<std::optional<TimestampOffset>> find_max_timestamp(Offset upper) override;
    Result<std::optional<ProducedBatch>> check_producer(const record::BatchView& batch) override;
    std::optional<Offset> first_unstable_offset(Offset high_watermark) override;
    Result<std::vector<AbortedTransaction>> aborted_transactions(Offset from,
                                                                 const FileRange& range) override;
    std::vector<ActiveProducer> active_producers() const override;
    void expire_producers(Timestamp now) override {
        producers_.expire(now, options_.producer_expiration_ms);
    }
    std::optional<EpochEnd> end_of_epoch(LeaderEpoch epoch) const override {
        return epochs_.end_of(epoch, log_end_);
    }
    LeaderEpoch epoch_at(Offset offset) const override { return epochs_.at(offset); }
    Result<void> begin_epoch(LeaderEpoch epoch) override;
    Result<void> truncate_to(Offset end) override;
    Result<void> restart_at(Offset start) override;
    Result<void> raise_start(Offset start) override;
    Result<std::vector<std::string>> remove_old_segments(Offset high_watermark,
                                                         std::size_t segments_max) override;
    Result<void> flush() override;
    PendingSync pending_sync() const override;
    bool has_unsynced_segments() const override { return !unsynced_.empty() || needs_names_; }
    void mark_durable(const PendingSync& done) override;
    void mark_offline() override;
    void set_options(const LogOptions& options) override;
    bool is_unsynced_at_close() const override;
    Result<void> begin_close() override;
    Result<void> end_close() override;
    Result<void> close() override;
    bool offline() const override { return is_offline_; }

    Result<std::optional<DirtyLog>> dirty_part(const CleaningBounds& bounds) override;
    Result<CleaningSource> begin_cleaning(const DirtyLog& dirty) override;
    bool is_own(const CleaningTicket& ticket) const override {
        return !is_offline_ && ticket == CleaningTicket{identity_, truncations_};
    }
    bool is_same_log(const CleaningTicket& ticket) const override {
        return !is_offline_ && ticket.log == identity_;
    }
    bool begin_swap_in(const CleaningTicket& ticket, const CleanedSegment& cleaned) override;
    Result<std::optional<std::vector<std::string>>> replace_by(
        const CleaningTicket& ticket, const CleanedSegment& cleaned) override;
    Result<bool> come_home(const CleaningTicket& ticket, const CleanedSegment& cleaned) override;
    Result<void> call_off_swap_in(const CleaningTicket& ticket) override;
    void set_cleaned_to(const CleaningTicket& ticket, Offset end) override {
        if (is_own(ticket)) cleaned_to_ = end;
    }
    std::optional<Offset> cleaned_to() const override { return cleaned_to_; }
    /// What was checkpointed.
    void take_cleaned_to(std::optional<Offset> end) {
        cleaned_to_ = end && *end > log_end_ ? std::nullopt : end;
    }

private:
    using Segments = std::vector<std::unique_ptr<Segment>>;

    Result<AppendSummary> summarize(BytesView batches) const;
    void begin_epochs(BytesView batches);
    Result<void> note_producers(BytesView batches);
    Result<void> snapshot_producers();
    Result<void> reload_producers();
    Result<Offset> upper_bound(std::size_t segment, const FileRange& range);
    Result<void> check_usable() const;
    Result<void> seal_active();
    Result<bool> must_roll(const AppendSummary& summary);
    /// Adds the files of a roll to `append`; nothing where the active segment begins at `base`.
    Result<void> begin_roll(Offset base, PendingAppend& append);
    void end_roll(PendingAppend& append);
    Result<void> roll(Offset base);
    /// Passes `done` on; a failure leaves files in a state that nobody knows, so the log is offline
    /// then.
    Result<void> or_offline(Result<void> done);
    Result<void> remove_last_segment();
    Result<void> truncate_segments(Offset end);
    Result<void> restart_segments(Offset start);
    Result<std::size_t> count_old_segments(Offset high_watermark, std::size_t segments_max);
    Result<bool> is_old(std::size_t segment, std::uint64_t log_bytes);
    Result<Timestamp> newest_record(std::size_t segment);
    Result<std::size_t> roll_if_all_go(std::size_t count);
    std::size_t up_to_a_synced_name(std::size_t count) const;
    Result<std::vector<std::string>> take_out(std::size_t count);
    void draw_jitter();
    void settle_gap();
    void forget_cut(Offset end);
    /// For the calls below: no cut finds files of a swap that has begun.
    Result<void> call_off_swap();
    /// How many segments, from the first on, end at or below `limit`, the last one excepted.
    std::size_t count_sealed(Offset limit) const;
    Result<std::size_t> count_old_enough(std::size_t first, std::size_t count);
    Result<std::int64_t> overdue_ms(std::size_t first, std::size_t count);
    std::vector<LastOfProducer> last_of_producers() const;
    /// Index of the first of the segments that `cleaned` replaces, if all are there.
    std::optional<std::size_t> find_replaced(const CleanedSegment& cleaned) const;
    /// Gives the files of a segment whose names have a tail the names of a segment.
    Result<void> bring_home(std::unique_ptr<Segment>& segment);
    void forget_unsynced(Offset base);

    Segment& active() { return *segments_.back(); }
    /// Index of the segment that would hold `offset`.
    std::size_t segment_of(Offset offset) const;
    bool is_sealed(std::size_t segment) const { return segment + 1 < segments_.size(); }
    /// The open file of a segment. Of sealed segments the two used last stay open.
    Result<std::shared_ptr<env::File>> file_of(std::size_t segment);
    Result<std::uint64_t> end_position(std::size_t segment, Offset limit, std::uint64_t cap);
    Result<std::optional<TimestampOffset>> find_timestamp_in(std::size_t segment, Timestamp when,
                                                             Offset limit);
    Result<std::optional<FoundBatch>> max_timestamp_batch(std::size_t segment, Offset limit,
                                                          Segment::Header& header);
    Result<Timestamp> timestamp_in_log(const env::File& file, const FoundBatch& batch);
    Result<std::optional<TimestampOffset>> first_record(const env::File& file,
                                                        const FoundBatch& batch, Timestamp from,
                                                        Offset limit);

    env::FileSystem& files_;
    env::Clock& clock_;
    env::Random& random_;
    Logger logger_;
    std::string directory_;
    LogOptions options_;
    Segments segments_;
    EpochCache epochs_;
    /// Shared with the syncs that are under way.
    std::shared_ptr<env::Guarded<std::uint64_t>> epochs_written_ =
        std::make_shared<env::Guarded<std::uint64_t>>(0U);
    Offset log_start_;
    Offset log_end_;
    Offset durable_end_;
    LeaderEpoch last_epoch_;
    std::uint64_t size_bytes_ = 0;
    /// What the active segment's segment.ms is shortened by.
    std::int64_t jitter_ms_ = 0;
    bool is_offline_ = false;
    /// Between begin_append() and end_append().
    bool is_appending_ = false;
    /// begin_close() has written the epochs beside their file.
    bool has_epochs_aside_ = false;

    /// A file of a sealed segment that has not been synced yet.
    struct Unsynced {
        std::shared_ptr<env::File> file;
        /// names_made_ when it was sealed: a sync that was begun before may lack its end.
        std::uint64_t since = 0;
    };
    std::vector<Unsynced> unsynced_;
    std::uint64_t names_made_ = 0;
    std::uint64_t names_synced_ = 0;
    /// While these differ: the oldest segment whose name may not be synced.
    Offset first_new_name_;
    /// Old segments wait for a sync of the names.
    bool needs_names_ = false;
    std::uint64_t truncations_ = 0;

    /// Of this object, for tickets.
    std::shared_ptr<const int> identity_ = std::make_shared<const int>(0);
    std::optional<Offset> cleaned_to_;
    /// Where the log ended when it was opened. Until the high watermark is there nobody knows which
    /// of the transactions that had ended by then are committed to have.
    Offset opened_end_;
    /// Between begin_swap_in() and replace_by(): the base of the new segment.
    std::optional<Offset> swapping_in_;

    ProducerStates producers_;
    /// Of the newest snapshot of them; −1 if there is none.
    Offset snapshot_at_{-1};
    /// A gap that recovery left: the topic was not known then, and it may be a compacted one.
    std::optional<Offset> unsynced_gap_;

    /// Sealed segments whose file was opened last, by base offset.
    std::array<Offset, 2> recently_read_{Offset(-1), Offset(-1)};
    /// Where the last upper bound of a read lay: all readers of a partition share it.
    struct {
        Offset base{-1};
        Offset limit;
        std::uint64_t position = 0;
    } last_limit_;
};

}  // namespace milena::storage

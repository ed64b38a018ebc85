// SPDX-License-Identifier: Apache-2.0
// One partition's log on disk: segments of record batches with their indexes, in the layout of a
// Kafka log directory. Owned by whoever guards the partition; not thread-safe, but what read() gave
// may be used from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/logger.h"
#include "milena/base/uuid.h"
#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "milena/record/batch.h"
#include "milena/storage/pending_append.h"
#include "milena/storage/producer.h"

namespace milena::storage {

using env::Timestamp;

struct CleanedSegment;  // cleaning.h
struct CleaningBounds;
struct CleaningSource;
struct CleaningTicket;
struct DirtyLog;

/// What a topic whose cleanup.policy has compact says of its cleaning.
struct CompactionOptions {
    double min_cleanable_dirty_ratio = 0.5;                 ///< min.cleanable.dirty.ratio
    std::int64_t min_compaction_lag_ms = 0;                 ///< min.compaction.lag.ms
    std::int64_t max_compaction_lag_ms = INT64_MAX;         ///< max.compaction.lag.ms
    std::int64_t delete_retention_ms = 24LL * 3600 * 1000;  ///< delete.retention.ms
};

/// A topic's settings as a log needs them (topic config names, broker defaults resolved before).
struct LogOptions {
    std::uint64_t segment_bytes = 1ULL << 30;          ///< segment.bytes
    std::int64_t segment_ms = 7LL * 24 * 3600 * 1000;  ///< segment.ms
    std::int64_t segment_jitter_ms = 0;                ///< segment.jitter.ms
    std::uint32_t index_interval_bytes = 4096;         ///< index.interval.bytes
    std::uint64_t segment_index_bytes = 10ULL << 20;   ///< segment.index.bytes
    /// retention.ms and retention.bytes; −1 is without limit, as where cleanup.policy lacks delete.
    std::int64_t retention_ms = -1;
    std::int64_t retention_bytes = -1;
    /// The topic is not compacted, so its offsets have no gaps: one between two segments that were
    /// not synced is lost data, and recovery cuts the log there.
    bool is_gapless = false;
    /// producer.id.expiration.ms: how long a producer is remembered after its last record.
    std::int64_t producer_expiration_ms = 24LL * 3600 * 1000;
    /// Nothing where cleanup.policy lacks compact.
    std::optional<CompactionOptions> compaction{};
};

/// Record bytes in a file, not yet read: whole batches, except that the last may be cut by a byte
/// limit.
struct FileRange {
    std::shared_ptr<const env::File> file;
    std::uint64_t position = 0;
    std::uint64_t length = 0;
};

/// Where a timestamp search ended.
struct TimestampOffset {
    Timestamp timestamp;
    Offset offset;
    LeaderEpoch leader_epoch = kNoLeaderEpoch;

    bool operator==(const TimestampOffset&) const = default;
};

/// The end of an epoch in this log, as OffsetsForLeaderEpoch and diverging fetches need it
/// (KIP-101, KIP-595).
struct EpochEnd {
    LeaderEpoch epoch = kNoLeaderEpoch;
    Offset end_offset{-1};

    bool operator==(const EpochEnd&) const = default;
};

/// How a log is found again at start.
struct Recovery {
    /// The last stop was clean: nothing is scanned.
    bool clean = false;
    /// Everything below was synced (recovery-point-offset-checkpoint).
    Offset recovery_point{};
    /// From log-start-offset-checkpoint; 0 if it names none.
    Offset log_start_offset{};
    /// From cleaner-offset-checkpoint; nothing if it names none.
    std::optional<Offset> cleaned_to{};
};

class Log {
public:
    /// Opens the partition directory, made if absent. After an unclean stop every batch from the
    /// recovery point on is checked (CRC, framing, order), indexes are rebuilt, a torn or corrupt
    /// tail is cut, and later segments dropped.
    static Result<std::unique_ptr<Log>> open(env::Env& env, Logger logger, std::string directory,
                                             const LogOptions& options, const Recovery& recovery);
    virtual ~Log() = default;

    virtual Offset log_start_offset() const = 0;
    virtual Offset log_end_offset() const = 0;
    /// End of what is known to be synced: never beyond log_end_offset().
    virtual Offset durable_end_offset() const = 0;
    /// Where the first segment begins: at the log's start or, after raise_start(), below it.
    virtual Offset first_segment_offset() const = 0;
    /// Bytes in all segments.
    virtual std::uint64_t size_bytes() const = 0;
    virtual std::size_t segment_count() const = 0;
    /// Epoch of the last batch; kNoLeaderEpoch if there is none.
    virtual LeaderEpoch last_epoch() const = 0;

    /// Appends whole batches whose offsets and epochs are final: the first must begin at or after
    /// log_end_offset() (a follower keeps gaps), each at the end of the one before or after. All or
    /// nothing: after a failed write the log is as it was, or offline() if even that could not be
    /// made sure. May roll to a new segment first.
    virtual Result<void> append(BytesView batches) = 0;
    /// The same in three steps, so that the second one, PendingAppend::run(), needs no guard. Of
    /// many batches the first of the steps may take a part: the others are another append. Between
    /// begin and end the log may be read, synced and asked, and its start raised; nothing else is
    /// appended, no segment is removed, no epoch begun, nothing is cut, and it is not closed.
    /// end_append() comes whatever run() gave, and passes it on.
    virtual Result<PendingAppend> begin_append(BytesView batches) = 0;
    virtual Result<void> end_append(PendingAppend& append, Result<void> written) = 0;
    /// True if the append of a batch of `bytes` bytes, `records` offsets and that greatest
    /// timestamp would be one write into a file that is open: no roll, no index block, nothing to
    /// be read first.
    virtual bool is_one_write(std::uint64_t bytes, std::int64_t records,
                              Timestamp max_timestamp) = 0;

    /// The bytes from the batch that holds `from` on, which must lie in [log_start_offset,
    /// log_end_offset]: at most `bytes_max`, no batch that reaches `upper`; at least the first
    /// batch, whole, if `at_least_one`. Empty, without a file, where nothing lies below `upper`
    /// or `bytes_max` does not hold the first batch. One range stays within one segment.
    virtual Result<FileRange> read(Offset from, Offset upper, std::uint64_t bytes_max,
                                   bool at_least_one) = 0;

    /// The first record, in offset order below `upper`, with a timestamp at or after `when`; exact
    /// inside compressed batches.
    virtual Result<std::optional<TimestampOffset>> find_timestamp(Timestamp when, Offset upper) = 0;
    /// The first record that has the greatest timestamp below `upper` (ListOffsets -3); nothing in
    /// an empty log.
    virtual Result<std::optional<TimestampOffset>> find_max_timestamp(Offset upper) = 0;

    /// What a batch with a producer id, as a client has sent it, means here. Nothing: it may be
    /// appended. A batch: it is that one, sent again. INVALID_PRODUCER_EPOCH,
    /// OUT_OF_ORDER_SEQUENCE_NUMBER, INVALID_TXN_STATE: it must not be appended. Only append()
    /// changes what is known of a producer, and only if it succeeds. After a start the last five
    /// batches of a producer are known as before it; to that end the end of the log may be read,
    /// once.
    virtual Result<std::optional<ProducedBatch>> check_producer(const record::BatchView& batch) = 0;
    /// Where the oldest transaction begins, in this log, that is open or whose end marker
    /// `high_watermark` has not passed: committed data ends there. The high watermark that is told
    /// never goes back, unless the log is cut.
    virtual std::optional<Offset> first_unstable_offset(Offset high_watermark) = 0;
    /// What a reader of `range`, which read(from, ...) gave, needs to know to leave out aborted
    /// records: the transactions that overlap it, by first offset. A few that begin behind it may
    /// be named too.
    virtual Result<std::vector<AbortedTransaction>> aborted_transactions(
        Offset from, const FileRange& range) = 0;
    /// By producer id.
    virtual std::vector<ActiveProducer> active_producers() const = 0;
    /// Forgets the producers that were silent for producer.id.expiration.ms.
    virtual void expire_producers(Timestamp now) = 0;

    /// The greatest epoch at or below `epoch` and where it ends (its successor's start, or the
    /// log's end).
    virtual std::optional<EpochEnd> end_of_epoch(LeaderEpoch epoch) const = 0;
    /// Epoch under which `offset` was written.
    virtual LeaderEpoch epoch_at(Offset offset) const = 0;
    /// Notes that `epoch` begins at the log's end, before its first batch is written.
    virtual Result<void> begin_epoch(LeaderEpoch epoch) = 0;

    /// Drops all batches that reach `end`, their index entries and epochs; synced before it
    /// returns. The recovery point checkpoint must then be written with the new
    /// durable_end_offset(), before anything is appended.
    virtual Result<void> truncate_to(Offset end) = 0;
    /// Drops everything and starts at `start`.
    virtual Result<void> restart_at(Offset start) = 0;
    /// Raises the log start (DeleteRecords, a leader's retention); what lies below can't be read
    /// any more, and whole segments go with the next remove_old_segments().
    virtual Result<void> raise_start(Offset start) = 0;
    /// Takes the oldest segments out of the log, at most `segments_max`: those below its start,
    /// those whose records are all older than retention_ms, those without which it still has
    /// retention_bytes. Only what ends at or below `high_watermark` goes; the active segment goes
    /// like any other and is rolled before. What remains must begin with a file whose name is
    /// synced: until then has_unsynced_segments() asks for a sync. The start moves with what goes.
    /// Their files end in ".deleted" from now on and are the caller's to remove; who reads them may
    /// go on.
    virtual Result<std::vector<std::string>> remove_old_segments(Offset high_watermark,
                                                                 std::size_t segments_max) = 0;

    // Cleaning, see cleaning.h. All of these may come in the middle of an append.
    /// What a cleaner may do now: sealed segments that end at or below both bounds, below the first
    /// unstable offset and what is not synced, all of whose dirty records are as old as
    /// min.compaction.lag.ms says. Nothing if there is none, or the topic is not compacted.
    virtual Result<std::optional<DirtyLog>> dirty_part(const CleaningBounds& bounds) = 0;
    /// What a cleaning of that part reads.
    virtual Result<CleaningSource> begin_cleaning(const DirtyLog& dirty) = 0;
    /// False once the log was cut, or is offline, or is not the one the ticket came from.
    virtual bool is_own(const CleaningTicket& ticket) const = 0;
    /// The same, but that it may have been cut.
    virtual bool is_same_log(const CleaningTicket& ticket) const = 0;
    /// The swap of `cleaned` for those that it replaces. begin_swap_in(): from here on a cut calls
    /// it off, and no segment is removed. Then make_final(), without the guard, then replace_by():
    /// readers get the new segment, the old ones are renamed and the caller's to remove, as after
    /// remove_old_segments(). Then the directory is synced, without the guard, and come_home()
    /// gives the files their names. Nothing, or false, where it was called off: the log is as it
    /// was, or as others have made it. call_off_swap_in(): make_final() has failed.
    virtual bool begin_swap_in(const CleaningTicket& ticket, const CleanedSegment& cleaned) = 0;
    virtual Result<std::optional<std::vector<std::string>>> replace_by(
        const CleaningTicket& ticket, const CleanedSegment& cleaned) = 0;
    virtual Result<bool> come_home(const CleaningTicket& ticket, const CleanedSegment& cleaned) = 0;
    virtual Result<void> call_off_swap_in(const CleaningTicket& ticket) = 0;
    /// Below it nothing is dirty; goes back by itself when the log is cut. Nothing: never cleaned.
    virtual void set_cleaned_to(const CleaningTicket& ticket, Offset end) = 0;
    virtual std::optional<Offset> cleaned_to() const = 0;

    /// Syncs everything below log_end_offset(). A failure takes the log offline for good; only a
    /// disk without room for the epochs does not, and durable_end_offset() stays where it is.
    virtual Result<void> flush() = 0;
    /// What flush() would sync, taken to another thread so that the guard is not held meanwhile.
    class PendingSync {
    public:
        /// Nothing to sync: everything below `end` is durable already.
        bool empty() const { return files.empty() && !has_new_names && !epochs; }
        /// In any thread, without the guard. An error is final: the directory goes offline.
        Result<void> run();

        std::vector<std::shared_ptr<env::File>> files;
        /// Files were made since the last sync, so their names need one too; with the log's first
        /// sync its directory's own name and its partition.metadata as well.
        bool has_new_names = false;
        bool is_first = false;
        std::uint64_t names_made = 0;
        /// The new content of leader-epoch-checkpoint, and which one it is.
        std::optional<std::string> epochs{};
        std::uint64_t epochs_version = 0;
        /// The newest version that has been written, of all syncs of the log: an older one that
        /// comes late is not written over it.
        std::shared_ptr<env::Guarded<std::uint64_t>> epochs_written{};
        /// All but the epochs is synced: a full disk had no room for them. They are due with the
        /// next sync, and until then nothing more is durable.
        bool lacks_epochs = false;
        env::FileSystem* file_system = nullptr;
        std::string directory;
        Offset end;
        /// Which of the log's truncations came before: what was cut since is not made durable by
        /// this.
        std::uint64_t truncations = 0;
    };
    virtual PendingSync pending_sync() const = 0;
    /// A segment was closed since the last sync: its files stay open until the next. Or old
    /// segments wait for the name of the one that is to be the first.
    virtual bool has_unsynced_segments() const = 0;
    /// After done.run() has succeeded.
    virtual void mark_durable(const PendingSync& done) = 0;
    /// After a run() that failed: the log is unusable from now on.
    virtual void mark_offline() = 0;

    /// The topic's settings have changed; they count from the next append on.
    virtual void set_options(const LogOptions& options) = 0;

    /// close() would have something to sync: records, names or epochs, or indexes that have changed
    /// since they were last written.
    virtual bool is_unsynced_at_close() const = 0;
    /// The halves of close() for whoever closes many logs: begin_close() writes what is to be
    /// written and keeps no file open, then the caller syncs the whole file system, then
    /// end_close() puts the last file into its place, then another such sync makes the stop clean.
    virtual Result<void> begin_close() = 0;
    virtual Result<void> end_close() = 0;
    /// Writes what a clean stop leaves behind (trimmed indexes, synced), after which only
    /// destruction is allowed.
    virtual Result<void> close() = 0;
    /// An error of the disk has made the log unusable; every later write fails with
    /// KAFKA_STORAGE_ERROR.
    virtual bool offline() const = 0;
};

}  // namespace milena::storage

// SPDX-License-Identifier: Apache-2.0
// Appending, rolling, syncing and cutting. After any failure that leaves files in an unknown state
// the log is offline.
#include "partition_log.h"

#include <fmt/format.h>

#include "producers/producer_snapshot.h"

namespace milena::storage {
namespace {

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> sync_names(const Log::PendingSync& pending) {
    env::FileSystem& files = *pending.file_system;
    const std::string metadata = pending.directory + "/partition.metadata";
    if (pending.is_first && files.exists(metadata)) {
        TRY(const auto file, files.open(metadata, env::OpenMode::read_write));
        TRY_VOID(file->sync());
    }
    TRY_VOID(files.sync_directory(pending.directory));
    return pending.is_first ? files.sync_directory(parent_of(pending.directory)) : ok();
}

}  // namespace

Result<void> Log::PendingSync::run() {
    for (const auto& file : files) TRY_VOID(file->sync());
    if (has_new_names) TRY_VOID(sync_names(*this));
    if (!epochs) return ok();
    const auto replaced = epochs_written->with([this](std::uint64_t& written) -> Result<void> {
        if (epochs_version <= written) return ok();
        TRY_VOID(env::replace_file(*file_system, directory + "/leader-epoch-checkpoint", *epochs));
        written = epochs_version;
        return ok();
    });
    // The file that was there is whole, and all else is synced: the next sync tries it again.
    lacks_epochs = !replaced && env::is_out_of_space(replaced.error());
    return lacks_epochs ? ok() : replaced;
}

Result<std::unique_ptr<Log>> Log::open(env::Env& env, Logger logger, std::string directory,
                                       const LogOptions& options, const Recovery& recovery) {
    TRY(LoadedLog loaded,
        load_log({env.files(), logger, directory, options, recovery, env.clock().wall()}));
    auto log = std::make_unique<PartitionLog>(env, std::move(logger), std::move(directory), options,
                                              std::move(loaded));
    log->take_cleaned_to(recovery.cleaned_to);
    return log;
}

PartitionLog::PartitionLog(env::Env& env, Logger logger, std::string directory,
                           const LogOptions& options, LoadedLog loaded)
    : files_(env.files()),
      clock_(env.clock()),
      random_(env.random()),
      logger_(std::move(logger)),
      directory_(std::move(directory)),
      options_(options),
      segments_(std::move(loaded.segments)),
      epochs_(std::move(loaded.epochs)),
      log_start_(loaded.log_start),
      log_end_(loaded.log_end),
      durable_end_(loaded.durable_end),
      last_epoch_(loaded.last_epoch),
      names_made_(loaded.has_new_names ? 1 : 0),
      opened_end_(loaded.log_end),
      producers_(std::move(loaded.producers)),
      snapshot_at_(loaded.snapshot_at),
      unsynced_gap_(loaded.unsynced_gap) {
    for (auto& file : loaded.unsynced) unsynced_.push_back({.file = std::move(file)});
    for (const auto& segment : segments_) {
        size_bytes_ += segment->size();
        segment->set_created_at(clock_.wall());
    }
    draw_jitter();
}

Result<void> PartitionLog::check_usable() const {
    if (!is_offline_) return ok();
    return fail(ErrorCode::kafka_storage_error,
                fmt::format("{}: offline after a failed write or sync", directory_));
}

Result<void> PartitionLog::or_offline(Result<void> done) {
    if (!done) {
        LOG_ERROR(logger_, "log is offline", kv("directory", directory_),
                  kv("why", done.error().why));
        is_offline_ = true;
    }
    return done;
}

void PartitionLog::mark_offline() {
    is_offline_ = true;
}

Result<AppendSummary> PartitionLog::summarize(BytesView batches) const {
    AppendSummary summary;
    summary.first_offset = log_end_;
    Offset next = log_end_;
    LeaderEpoch epoch = epochs_.last();
    for (bool is_first = true; !batches.empty(); is_first = false) {
        TRY(const auto batch, record::first_batch(batches));
        if (!batch)
            return fail(ErrorCode::corrupt_message, "the last batch of an append is cut off");
        if (batch->base_offset() < next || batch->last_offset_delta() < 0) {
            return fail(ErrorCode::corrupt_message,
                        fmt::format("a batch of offsets {} to {} can't follow {}",
                                    batch->base_offset(), batch->last_offset(), next));
        }
        if (is_first) summary.first_offset = batch->base_offset();
        if (batch->last_offset() - summary.first_offset > INT32_MAX) break;
        next = batch->next_offset();
        summary.last_offset = batch->last_offset();
        summary.last_epoch = batch->leader_epoch();
        summary.max_timestamp = std::max(summary.max_timestamp, batch->max_timestamp());
        summary.has_new_epoch |= batch->leader_epoch() > epoch;
        summary.has_producers |= batch->producer_id().value >= 0;
        summary.bytes += batch->size();
        batches = batches.subspan(batch->size());
    }
    return summary;
}

Result<void> PartitionLog::append(BytesView batches) {
    while (!batches.empty()) {
        TRY(PendingAppend pending, begin_append(batches));
        TRY_VOID(end_append(pending, pending.run()));
        batches = batches.subspan(pending.batches.size());
    }
    return ok();
}

Result<PendingAppend> PartitionLog::begin_append(BytesView batches) {
    INVARIANT(!is_appending_, "two appends at once");
    TRY_VOID(check_usable());
    PendingAppend append{.file_system = &files_};
    TRY(append.summary, summarize(batches));
    append.batches = batches.first(append.summary.bytes);
    TRY(const bool rolls, must_roll(append.summary));
    if (rolls) TRY_VOID(begin_roll(append.summary.first_offset, append));
    if (!append.rolls_to) TRY_VOID(active().begin_append(append));
    is_appending_ = true;
    return append;
}

Result<void> PartitionLog::end_append(PendingAppend& append, Result<void> written) {
    INVARIANT(is_appending_, "the end of an append that was not begun");
    is_appending_ = false;
    TRY_VOID(check_usable());
    if (append.has_rolled) end_roll(append);
    if (written) written = active().end_append(append, options_.index_interval_bytes);
    if (!written) return append.is_torn ? or_offline(std::move(written)) : written;
    const AppendSummary& summary = append.summary;
    size_bytes_ += append.batches.size();
    log_end_ = summary.last_offset.next();
    last_epoch_ = summary.last_epoch;
    if (summary.has_new_epoch) begin_epochs(append.batches);
    return summary.has_producers ? or_offline(note_producers(append.batches)) : ok();
}

bool PartitionLog::is_one_write(std::uint64_t bytes, std::int64_t records,
                                Timestamp max_timestamp) {
    Segment& segment = active();
    if (!segment.is_ready() || !segment.fits(bytes, log_end_ + (records - 1), options_))
        return false;
    const auto is_due = segment.is_due(max_timestamp, clock_, options_.segment_ms - jitter_ms_);
    return is_due && !*is_due;
}

void PartitionLog::begin_epochs(BytesView batches) {
    while (!batches.empty()) {
        const record::BatchView batch = **record::first_batch(batches);
        epochs_.begin(batch.leader_epoch(), batch.base_offset());
        batches = batches.subspan(batch.size());
    }
}

Result<void> PartitionLog::begin_epoch(LeaderEpoch epoch) {
    TRY_VOID(check_usable());
    epochs_.begin(epoch, log_end_);
    return ok();
}

Result<bool> PartitionLog::must_roll(const AppendSummary& summary) {
    if (!active().fits(summary.bytes, summary.last_offset, options_)) {
        if (summary.bytes > INT32_MAX)
            return fail(ErrorCode::record_list_too_large,
                        fmt::format("{} bytes at once", summary.bytes));
        return true;
    }
    return active().is_due(summary.max_timestamp, clock_, options_.segment_ms - jitter_ms_);
}

Result<void> PartitionLog::begin_roll(Offset base, PendingAppend& append) {
    if (active().base() == base)
        return ok();  // empty, or its index can't hold more: it takes one more append
    TRY(append.writes, active().begin_seal());
    append.writes.push_back(snapshot_write(directory_, base, producers_));
    append.rolls_to = base;
    append.path = directory_ + "/" + segment_file_name(base, ".log");
    return ok();
}

/// The names of the snapshot and of the new log file are to be synced, as all files are.
void PartitionLog::end_roll(PendingAppend& append) {
    const Offset base = *append.rolls_to;
    if (names_made_ == names_synced_) first_new_name_ = base;
    names_made_ += 2;
    for (FileWrite& write : append.writes) {
        if (write.file != nullptr) unsynced_.push_back({std::move(write.file), names_made_});
    }
    snapshot_at_ = base;
    active().end_seal();
    active().release_file();
    segments_.push_back(std::make_unique<Segment>(files_, directory_, base, 0));
    active().created(std::move(append.file));
    active().set_created_at(clock_.wall());
    draw_jitter();
    LOG_DEBUG(logger_, "rolled segment", kv("directory", directory_), kv("base_offset", base));
}

Result<void> PartitionLog::roll(Offset base) {
    INVARIANT(!is_appending_, "a roll in the middle of an append");
    PendingAppend roll{.file_system = &files_};
    TRY_VOID(begin_roll(base, roll));
    if (!roll.rolls_to) return ok();
    TRY_VOID(roll.run());
    end_roll(roll);
    return ok();
}

Log::PendingSync PartitionLog::pending_sync() const {
    PendingSync pending;
    pending.file_system = &files_;
    pending.directory = directory_;
    pending.end = log_end_;
    pending.truncations = truncations_;
    pending.names_made = names_made_;
    pending.has_new_names = names_made_ != names_synced_;
    pending.is_first = names_synced_ == 0;
    if (!epochs_.is_written()) pending.epochs = epochs_.text();
    pending.epochs_version = epochs_.version();
    pending.epochs_written = epochs_written_;
    for (const Unsynced& one : unsynced_) pending.files.push_back(one.file);
    // Open wherever something was appended. After a recovery it may be among the files above.
    const auto& file = segments_.back()->open_file();
    if (durable_end_ < log_end_ && file) pending.files.push_back(file);
    INVARIANT(durable_end_ == log_end_ || !pending.files.empty(), "unsynced bytes in no open file");
    return pending;
}

void PartitionLog::mark_durable(const PendingSync& done) {
    if (is_offline_) return;
    // A file that took more after the sync, and was sealed then, waits for the next.
    std::erase_if(unsynced_, [&](const Unsynced& one) {
        return one.since <= done.names_made &&
               std::ranges::find(done.files, one.file) != done.files.end();
    });
    names_synced_ = std::max(names_synced_, done.names_made);
    if (names_synced_ == names_made_) needs_names_ = false;
    if (done.lacks_epochs) return;
    epochs_.mark_written(done.epochs_version);
    if (done.truncations == truncations_)
        durable_end_ = std::max(durable_end_, std::min(done.end, log_end_));
}

Result<void> PartitionLog::flush() {
    TRY_VOID(check_usable());
    PendingSync pending = pending_sync();
    TRY_VOID(or_offline(pending.run()));
    mark_durable(pending);
    return ok();
}

bool PartitionLog::is_unsynced_at_close() const {
    const Segment& last = *segments_.back();
    return (last.size() > 0 && !last.are_indexes_written()) || !pending_sync().empty();
}

/// What makes the last segment complete, as its indexes are at a roll.
Result<void> PartitionLog::seal_active() {
    auto sealed = active().seal();
    if (!sealed) return or_offline(std::unexpected(sealed.error()));
    const bool is_touched = active().size() > 0 && !sealed->empty();
    if (is_touched) {
        ++names_made_;
        for (auto& file : *sealed) unsynced_.push_back({std::move(file), names_made_});
    }
    if (snapshot_at_ != log_end_ && (is_touched || !producers_.empty()))
        TRY_VOID(or_offline(snapshot_producers()));
    return ok();
}

Result<void> PartitionLog::begin_close() {
    INVARIANT(!is_appending_, "closed in the middle of an append");
    TRY_VOID(check_usable());
    TRY_VOID(seal_active());
    has_epochs_aside_ = !epochs_.is_written();
    if (has_epochs_aside_) {
        TRY(const auto file, files_.open(epochs_.path() + ".tmp", env::OpenMode::create_empty));
        TRY_VOID(or_offline(file->write_at(0, as_bytes(epochs_.text()))));
    }
    unsynced_.clear();
    active().release_file();
    return ok();
}

Result<void> PartitionLog::end_close() {
    TRY_VOID(check_usable());
    if (has_epochs_aside_)
        TRY_VOID(or_offline(files_.rename(epochs_.path() + ".tmp", epochs_.path())));
    durable_end_ = log_end_;
    is_offline_ = true;
    return ok();
}

Result<void> PartitionLog::close() {
    INVARIANT(!is_appending_, "closed in the middle of an append");
    TRY_VOID(check_usable());
    TRY_VOID(seal_active());
    // A log that was not touched, or has no batch, leaves nothing that a start would miss.
    // One that begins at another offset than 0 is told by the name of its segment.
    const bool is_current = log_start_ == log_end_
                                ? log_end_ == Offset(0) || names_made_ == names_synced_
                                : epochs_.is_written();
    if (!unsynced_.empty() || durable_end_ < log_end_ || !is_current) TRY_VOID(flush());
    is_offline_ = true;
    if (is_current || epochs_.is_written()) return ok();
    return fail(ErrorCode::kafka_storage_error,
                fmt::format("{}: no room for it (ENOSPC)", epochs_.path()));
}

void PartitionLog::forget_cut(Offset end) {
    log_end_ = end;
    durable_end_ = std::min(durable_end_, end);
    last_limit_.base = Offset(-1);
    ++truncations_;
    if (cleaned_to_) cleaned_to_ = std::min(*cleaned_to_, end);
    opened_end_ = std::min(opened_end_, end);
    size_bytes_ = 0;
    for (const auto& segment : segments_) size_bytes_ += segment->size();
}

/// Synced one by one: a crash in between leaves a shorter log, never one with a hole.
Result<void> PartitionLog::remove_last_segment() {
    TRY_VOID(segments_.back()->remove());
    segments_.pop_back();
    return files_.sync_directory(directory_);
}

Result<void> PartitionLog::truncate_segments(Offset end) {
    TRY_VOID(call_off_swap());
    while (segments_.back()->base() >= end && segments_.size() > 1) {
        TRY_VOID(remove_last_segment());
    }
    TRY(const Offset new_end, active().truncate(end));
    // The batch that was cut began below the log's start: nothing is left.
    if (new_end < log_start_) return restart_segments(log_start_);
    forget_cut(new_end);
    TRY_VOID(remove_snapshots_above(files_, directory_, new_end));
    TRY_VOID(reload_producers());
    epochs_.truncate_end(new_end);
    last_epoch_ = log_start_ < new_end ? epochs_.at(new_end + -1) : kNoLeaderEpoch;
    // The end has moved back, and with it what pending_sync() takes for synced.
    TRY(const auto file, active().file());
    TRY_VOID(file->sync());
    ++names_made_;
    return flush();
}

Result<void> PartitionLog::truncate_to(Offset end) {
    INVARIANT(!is_appending_, "cut in the middle of an append");
    TRY_VOID(check_usable());
    if (end >= log_end_) {
        // Epochs that were begun at the end and have no batch are no part of another's history.
        epochs_.truncate_end(log_end_);
        return ok();
    }
    if (end < log_start_ || end <= segments_.front()->base()) return restart_at(end);
    return or_offline(truncate_segments(end));
}

Result<void> PartitionLog::restart_segments(Offset start) {
    TRY_VOID(call_off_swap());
    while (!segments_.empty()) TRY_VOID(remove_last_segment());
    TRY_VOID(remove_snapshots_above(files_, directory_, Offset(-1)));
    epochs_.replace({});
    producers_.clear();
    snapshot_at_ = Offset(-1);
    segments_.push_back(std::make_unique<Segment>(files_, directory_, start, 0));
    active().set_created_at(clock_.wall());
    log_start_ = start;
    last_epoch_ = kNoLeaderEpoch;
    unsynced_.clear();
    forget_cut(start);
    durable_end_ = start;
    TRY_VOID(active().create());
    ++names_made_;
    return flush();
}

Result<void> PartitionLog::restart_at(Offset start) {
    INVARIANT(!is_appending_, "emptied in the middle of an append");
    TRY_VOID(check_usable());
    return or_offline(restart_segments(start));
}

}  // namespace milena::storage

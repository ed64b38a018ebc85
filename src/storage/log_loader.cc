// SPDX-License-Identifier: Apache-2.0
// The steps of opening a log, in order: leftovers, indexes, recovery or end, start, epochs,
// snapshots.
#include "log_loader.h"

#include <fmt/format.h>

#include "producers/producer_replay.h"

namespace milena::storage {
namespace {

class Loader {
public:
    explicit Loader(const LoadRequest& request)
        : request_(request),
          epochs_(request.files, request.directory + "/leader-epoch-checkpoint") {}

    Result<LoadedLog> run();

private:
    const LogOptions& options() const { return request_.options; }
    const Recovery& recovery() const { return request_.recovery; }
    bool is_last(std::size_t index) const { return index + 1 == segments_.size(); }

    void make_segments();
    /// Index of the first segment that is recovered; their number if none is.
    std::size_t first_to_recover() const;
    Result<void> attach_indexes(std::size_t index);
    Result<void> recover_from(std::size_t first);
    /// False where the log ends: at a batch that is not whole, or before a segment that does not
    /// follow.
    Result<bool> recover(Segment& segment);
    Result<bool> walk_synced(Segment& segment, std::uint64_t size, std::uint64_t& position);
    Result<bool> read_unsynced(Segment& segment, std::uint64_t size, std::uint64_t& position);
    Result<bool> take(Segment& segment, const FoundBatch& batch);
    Result<void> rebuild_indexes(Segment& segment);
    /// The segment's indexes written whole, its files noted as not synced.
    Result<void> seal(Segment& segment);
    Result<void> load_end();
    Result<void> drop_segments(std::size_t first);
    Result<void> drop_below_start();
    Result<void> settle_start();
    Result<void> start_empty_at(Offset start);
    void settle_epochs();
    Result<void> load_producers(Offset end);
    Result<void> note_producer(Segment& segment, const FoundBatch& batch);

    const LoadRequest& request_;
    EpochCache epochs_;
    FoundFiles found_;
    std::vector<std::unique_ptr<Segment>> segments_;
    std::vector<EpochCache::Entry> seen_epochs_;
    Offset log_start_;
    Offset log_end_{-1};
    LeaderEpoch last_epoch_ = kNoLeaderEpoch;
    std::vector<std::shared_ptr<env::File>> unsynced_;
    bool has_new_names_ = false;
    bool is_recovered_ = false;
    Offset recovered_from_;
    std::optional<Offset> unsynced_gap_;
    ProducerStates producers_;
    Offset snapshot_at_{-1};
};

void Loader::make_segments() {
    for (const auto& [base, sizes] : found_.segments) {
        segments_.push_back(
            std::make_unique<Segment>(request_.files, request_.directory, base, sizes.log_bytes));
        constexpr std::uint64_t kEntryBytes = TransactionIndex::kEntryBytes;
        const std::uint64_t entries = sizes.transaction_index_bytes / kEntryBytes;
        segments_.back()->transaction_index().file().attach(entries * kEntryBytes);
    }
}

std::size_t Loader::first_to_recover() const {
    if (recovery().clean) return segments_.size();
    std::size_t first = 0;
    while (first + 1 < segments_.size() &&
           segments_[first + 1]->base() <= recovery().recovery_point)
        ++first;
    return first;
}

Result<void> Loader::attach_indexes(std::size_t index) {
    Segment& segment = *segments_[index];
    if (segment.size() == 0) return ok();  // whatever its index files hold
    const SegmentFiles& sizes = found_.segments.at(segment.base());
    IndexFile& offsets = segment.offset_index().file();
    IndexFile& times = segment.time_index().file();
    if (sizes.index_bytes && sizes.time_index_bytes &&
        offsets.is_possible_size(*sizes.index_bytes) &&
        times.is_possible_size(*sizes.time_index_bytes)) {
        offsets.attach(*sizes.index_bytes);
        times.attach(*sizes.time_index_bytes);
        return ok();
    }
    LOG_WARN(request_.logger, "rebuilding index", kv("segment", segment.log_path()));
    return rebuild_indexes(segment);
}

Result<void> Loader::rebuild_indexes(Segment& segment) {
    const std::uint64_t size = segment.size();
    segment.reset_for_rebuild();
    if (size > 0) {
        TRY(const auto file, segment.file());
        HeaderWalk walk(*file, 0, size);
        while (true) {
            TRY(const auto batch, walk.next());
            if (!batch) break;
            TRY_VOID(segment.account(*batch, options().index_interval_bytes));
        }
    }
    return seal(segment);
}

Result<void> Loader::seal(Segment& segment) {
    TRY(const auto written, segment.seal());
    unsynced_.insert(unsynced_.end(), written.begin(), written.end());
    segment.release_file();
    has_new_names_ = true;
    return ok();
}

Result<void> Loader::recover_from(std::size_t first) {
    // Whoever wrote what is found may have ended before it synced the names.
    has_new_names_ = true;
    recovered_from_ = segments_[first]->base();
    TRY_VOID(load_producers(segments_[first]->base()));
    for (std::size_t index = first; index < segments_.size(); ++index) {
        Segment& segment = *segments_[index];
        TRY(const bool is_whole, recover(segment));
        if (is_last(index)) break;
        TRY_VOID(seal(segment));
        const bool has_gap = segments_[index + 1]->base() != log_end_;
        if (is_whole && has_gap && !unsynced_gap_) unsynced_gap_ = log_end_;
        if (is_whole && !(has_gap && options().is_gapless)) continue;
        LOG_WARN(request_.logger, "dropping segments after damage",
                 kv("first", segments_[index + 1]->log_path()), kv("log_end", log_end_));
        return drop_segments(index + 1);
    }
    return ok();
}

Result<bool> Loader::recover(Segment& segment) {
    is_recovered_ = true;
    const std::uint64_t size = segment.size();
    segment.reset_for_rebuild();
    segment.transaction_index().file().clear();
    log_end_ = std::max(log_end_, segment.base());
    if (size == 0) return true;
    std::uint64_t position = 0;
    TRY(bool is_whole, walk_synced(segment, size, position));
    if (is_whole && position < size) {
        TRY(is_whole, read_unsynced(segment, size, position));
    }
    if (is_whole) return true;
    TRY(const auto file, segment.file());
    TRY(const bool is_legacy, is_legacy_entry(*file, position, size));
    if (is_legacy) {
        return fail(ErrorCode::unsupported_for_message_format,
                    fmt::format("{} at {}: a message set of the format before Kafka 0.11",
                                segment.log_path(), position));
    }
    LOG_WARN(request_.logger, "cutting a torn or damaged log", kv("segment", segment.log_path()),
             kv("at", position), kv("bytes_cut", size - position), kv("log_end", log_end_));
    TRY_VOID(file->truncate(position));
    return false;
}

/// Damage ends the log; what the disk or we can't do ends the start.
bool is_damage(const Error& error) {
    return error.code == ErrorCode::corrupt_message;
}

Result<bool> Loader::walk_synced(Segment& segment, std::uint64_t size, std::uint64_t& position) {
    TRY(const auto file, segment.file());
    HeaderWalk walk(*file, 0, size);
    while (true) {
        const auto batch = walk.next();
        if (!batch && is_damage(batch.error())) return false;
        if (!batch) return std::unexpected(batch.error());
        if (!*batch || (*batch)->view.last_offset() >= recovery().recovery_point) return true;
        TRY(const bool is_taken, take(segment, **batch));
        if (!is_taken) return false;
        position = (*batch)->end();
    }
}

Result<bool> Loader::read_unsynced(Segment& segment, std::uint64_t size, std::uint64_t& position) {
    TRY(const auto file, segment.file());
    CheckedWalk walk(*file, position, size);
    while (true) {
        const auto batch = walk.next();
        if (!batch && is_damage(batch.error())) return false;
        if (!batch) return std::unexpected(batch.error());
        if (!*batch) return true;
        TRY(const bool is_taken, take(segment, **batch));
        if (!is_taken) return false;
        position = (*batch)->end();
    }
}

Result<bool> Loader::take(Segment& segment, const FoundBatch& batch) {
    const record::BatchView& view = batch.view;
    if (view.base_offset() < log_end_ || view.last_offset_delta() < 0) return false;
    if (view.last_offset() - segment.base() > INT32_MAX) return false;
    TRY_VOID(segment.account(batch, options().index_interval_bytes));
    TRY_VOID(note_producer(segment, batch));
    log_end_ = view.next_offset();
    last_epoch_ = view.leader_epoch();
    if (last_epoch_ > (seen_epochs_.empty() ? kNoLeaderEpoch : seen_epochs_.back().epoch)) {
        seen_epochs_.push_back({last_epoch_, view.base_offset()});
    }
    return true;
}

Result<void> Loader::drop_segments(std::size_t first) {
    while (segments_.size() > first) {
        TRY_VOID(segments_.back()->remove());
        found_.segments.erase(segments_.back()->base());
        segments_.pop_back();
    }
    return ok();
}

/// After a clean stop the end is where the last segment ends.
Result<void> Loader::load_end() {
    Segment& last = *segments_.back();
    auto end = last.load_end();
    if (!end && is_damage(end.error())) {
        LOG_WARN(request_.logger, "damage after a clean stop", kv("why", end.error().why));
        return recover_from(segments_.size() - 1);
    }
    if (!end) return std::unexpected(end.error());
    log_end_ = end->next_offset;
    last_epoch_ = end->last_epoch;
    return ok();
}

Result<void> Loader::start_empty_at(Offset start) {
    TRY_VOID(drop_segments(0));
    segments_.push_back(std::make_unique<Segment>(request_.files, request_.directory, start, 0));
    TRY_VOID(segments_.back()->create());
    found_.segments[start] = {};
    producers_.clear();
    for (const Offset at : std::exchange(found_.snapshots, {})) {
        TRY_VOID(
            request_.files.remove(request_.directory + "/" + segment_file_name(at, ".snapshot")));
    }
    has_new_names_ = true;
    log_end_ = start;
    last_epoch_ = kNoLeaderEpoch;
    return ok();
}

Result<void> Loader::settle_start() {
    if (log_end_ < recovery().log_start_offset) {
        LOG_WARN(request_.logger, "the log ends before its start, starting empty",
                 kv("log_end", log_end_), kv("log_start", recovery().log_start_offset));
        TRY_VOID(start_empty_at(recovery().log_start_offset));
    }
    log_start_ = std::max(recovery().log_start_offset, segments_.front()->base());
    return ok();
}

/// What wholly lies below the start was on its way out: damage there, or a gap between those that
/// went and those that did not, is no damage of the log.
Result<void> Loader::drop_below_start() {
    while (segments_.size() > 1 && segments_[1]->base() <= recovery().log_start_offset) {
        const Offset base = segments_.front()->base();
        TRY_VOID(segments_.front()->remove());
        found_.segments.erase(base);
        std::erase(found_.snapshots, base);
        segments_.erase(segments_.begin());
    }
    return ok();
}

void Loader::settle_epochs() {
    // The batches know better: a truncation may have come after the file.
    if (is_recovered_) epochs_.truncate_end(recovered_from_);
    std::vector<EpochCache::Entry> entries = epochs_.entries();
    for (const EpochCache::Entry& seen : seen_epochs_) {
        if (seen.epoch > (entries.empty() ? kNoLeaderEpoch : entries.back().epoch))
            EpochCache::add(entries, seen);
    }
    epochs_.replace(std::move(entries));
    epochs_.truncate_end(log_end_);
    epochs_.truncate_start(log_start_);
    // The last segment may be empty, and the epoch of the batch before it is then known here only.
    if (last_epoch_ == kNoLeaderEpoch && log_end_ > log_start_)
        last_epoch_ = epochs_.at(log_end_ + -1);
}

/// Kafka does the same: a log that was stopped cleanly and has no snapshot never had a producer.
Result<void> Loader::load_producers(Offset end) {
    if (recovery().clean && found_.snapshots.empty()) return ok();
    TRY(snapshot_at_,
        replay_producers({request_.files, request_.logger, request_.directory, segments_,
                          found_.snapshots, request_.now, options().producer_expiration_ms},
                         end, producers_));
    return ok();
}

Result<void> Loader::note_producer(Segment& segment, const FoundBatch& batch) {
    if (batch.view.producer_id().value < 0) return ok();
    TRY(const auto file, segment.file());
    TRY(const auto ended, note_batch(producers_, *file, batch));
    return ended && ended->is_abort ? segment.transaction_index().append(*ended) : ok();
}

Result<LoadedLog> Loader::run() {
    TRY_VOID(request_.files.create_directories(request_.directory));
    TRY_VOID(epochs_.load());
    TRY(found_, settle_segment_files(request_.files, request_.directory));
    make_segments();
    TRY_VOID(drop_below_start());
    if (segments_.empty()) {
        TRY_VOID(start_empty_at(recovery().log_start_offset));
    } else {
        const std::size_t recover_first = first_to_recover();
        for (std::size_t index = 0; index < recover_first; ++index) TRY_VOID(attach_indexes(index));
        if (recover_first < segments_.size()) {
            TRY_VOID(recover_from(recover_first));
        } else {
            TRY_VOID(load_end());
        }
    }
    TRY_VOID(settle_start());
    if (!is_recovered_) TRY_VOID(load_producers(log_end_));
    settle_epochs();
    // A snapshot of what was cut must not come back when the log has grown over its offset again.
    if (!found_.snapshots.empty() && found_.snapshots.back() > log_end_) has_new_names_ = true;
    TRY_VOID(prune_snapshots(request_.files, request_.directory, found_, log_end_));
    // Below the start there is nothing to sync; a log that begins anew there may have no file open.
    const Offset durable_end =
        is_recovered_ ? std::max(std::min(log_end_, recovery().recovery_point), log_start_)
                      : log_end_;
    // Thousands of partitions may never be touched again. What is not synced must keep its
    // descriptor.
    if (durable_end == log_end_) segments_.back()->release_file();
    return LoadedLog{
        std::move(segments_),  std::move(epochs_), log_start_,           log_end_,
        durable_end,           last_epoch_,        std::move(unsynced_), has_new_names_,
        std::move(producers_), snapshot_at_,       unsynced_gap_};
}

}  // namespace

Result<LoadedLog> load_log(const LoadRequest& request) {
    return Loader(request).run();
}

}  // namespace milena::storage

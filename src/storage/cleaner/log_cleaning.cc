// SPDX-License-Identifier: Apache-2.0
// Reads and writes in pieces; every file is opened by its name when its turn comes.
#include "cleaner/log_cleaning.h"

#include <fmt/format.h>

#include "segment_files.h"

namespace milena::storage {
namespace {

FilterRules rules_of(const CleaningSource& source, const CleaningLimits& limits) {
    INVARIANT(!source.segments.empty() && source.options.compaction, "nothing to be cleaned");
    return {.now = limits.now,
            .delete_retention_ms = source.options.compaction->delete_retention_ms,
            .end = source.segments.back().next_base,
            .tombstones_stay_from = source.tombstones_stay_from,
            .plain_bytes_max = limits.plain_bytes_max};
}

}  // namespace

std::unique_ptr<Cleaning> Cleaning::make(env::FileSystem& files, CleaningSource source,
                                         const CleaningLimits& limits) {
    return std::make_unique<LogCleaning>(files, std::move(source), limits);
}

std::optional<std::size_t> dirtiest(std::span<const DirtyLog> logs) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        if (logs[i].is_due() && (!best || logs[i].ratio() > logs[*best].ratio())) best = i;
    }
    return best;
}

Result<void> make_final(env::FileSystem& files, const std::string& directory,
                        const CleanedSegment& cleaned) {
    // A power cut may keep some of the new names and lose others: as long as one of them ends in
    // ".cleaned", a start throws all away. So these must be there before the first goes.
    TRY_VOID(files.sync_directory(directory));
    for (const std::string_view suffix : kSegmentSuffixes) {
        const std::string path =
            fmt::format("{}/{}", directory, segment_file_name(cleaned.base, suffix));
        const std::string from = path + std::string(kCleanedSuffix);
        if (!files.exists(from)) continue;
        TRY_VOID(files.rename(from, path + std::string(kSwapSuffix)));
    }
    return files.sync_directory(directory);
}

LogCleaning::LogCleaning(env::FileSystem& files, CleaningSource source,
                         const CleaningLimits& limits)
    : files_(files),
      source_(std::move(source)),
      limits_(limits),
      map_(limits.map_bytes, limits.load_factor, limits.hash_key),
      filter_(map_, last_in_map_, source_.producers, rules_of(source_, limits)) {}

std::string LogCleaning::path_of(Offset base, std::string_view suffix) const {
    return fmt::format("{}/{}", source_.directory, segment_file_name(base, suffix));
}

Result<Cleaning::Step> LogCleaning::step() {
    if (phase_ == Phase::begin) return begin();
    if (phase_ == Phase::map) return map_some();
    return clean_some();
}

/// A start throws away what ends in ".swap" if it finds one that ends in ".cleaned" at or before
/// it: what an earlier cleaning has left of these goes first, and the names that it, or the start,
/// has given are made durable.
Result<Cleaning::Step> LogCleaning::begin() {
    TRY(const auto entries, files_.list(source_.directory));
    for (const env::DirectoryEntry& entry : entries) {
        const auto name = parse_segment_file_name(entry.name);
        if (name && name->suffix == ".txnindex") transaction_indexes_[name->base] = entry.size;
        if (name && name->suffix.ends_with(kCleanedSuffix))
            TRY_VOID(files_.remove(fmt::format("{}/{}", source_.directory, entry.name)));
    }
    TRY_VOID(files_.sync_directory(source_.directory));
    while (at_ < source_.segments.size() && source_.segments[at_].next_base <= source_.first_dirty)
        ++at_;
    phase_ = Phase::map;
    return Step::goes_on;
}

/// Those whose data or marker lies in the segment. Later indexes are looked at until one says that
/// no transaction was open any more where the segment ends.
Result<std::vector<IndexedTransaction>> LogCleaning::aborted_in(
    const CleaningSource::Segment& segment) {
    std::vector<IndexedTransaction> aborted;
    constexpr std::uint64_t kEntryBytes = TransactionIndex::kEntryBytes;
    for (auto at = transaction_indexes_.lower_bound(segment.base);
         at != transaction_indexes_.end() && at->first <= source_.segments.back().base; ++at) {
        TransactionIndex index(files_, path_of(at->first, ".txnindex"));
        index.file().attach(at->second / kEntryBytes * kEntryBytes);
        TRY(const bool is_complete, index.overlapping(segment.base, segment.next_base, aborted));
        if (is_complete) return aborted;
    }
    for (const IndexedTransaction& later : source_.later_aborted) {
        if (later.first_offset < segment.next_base) aborted.push_back(later);
    }
    return aborted;
}

Result<void> LogCleaning::open_segment(std::size_t index, CleanedTransactions& transactions) {
    const CleaningSource::Segment& segment = source_.segments[index];
    TRY(auto aborted, aborted_in(segment));
    transactions.add(std::move(aborted));
    TRY(std::shared_ptr<const env::File> file,
        files_.open(path_of(segment.base, ".log"), env::OpenMode::read_only));
    reader_ = std::make_unique<BatchReader>(std::move(file), segment.bytes, limits_.read_bytes);
    return ok();
}

Result<Cleaning::Step> LogCleaning::map_some() {
    if (is_full_ || at_ == source_.segments.size()) return begin_groups();
    if (reader_ == nullptr) TRY_VOID(open_segment(at_, map_transactions_));
    std::uint64_t bytes = 0;
    while (bytes < limits_.read_bytes && !is_full_) {
        TRY(const auto batch, reader_->next());
        if (!batch) break;
        bytes += batch->size();
        TRY_VOID(take_keys(*batch));
    }
    figures_.bytes_read += bytes;
    figures_.map_bytes_read += bytes;
    if (bytes >= limits_.read_bytes || is_full_) return Step::goes_on;
    map_.raise_latest(source_.segments[at_].next_base + -1);
    reader_.reset();
    ++at_;
    return Step::goes_on;
}

Result<void> LogCleaning::take_keys(const record::BatchView& batch) {
    const bool is_void = batch.is_control() ? map_transactions_.pass_control(batch)
                                            : map_transactions_.pass_data(batch);
    map_transactions_.take_indexed();
    if (batch.last_offset() < source_.first_dirty) return ok();
    note_producer(batch);
    if (!batch.is_control() && !is_void) {
        const record::ReadLimits limits{.record_bytes_max = limits_.plain_bytes_max};
        const auto each = [&](const record::RecordView& record) {
            if (record.offset < source_.first_dirty || !record.key) return true;
            is_full_ = !map_.put(*record.key, record.offset);
            return !is_full_;
        };
        TRY_VOID(record::for_each_record(batch, limits, each, &scratch_));
    }
    if (!is_full_) map_.raise_latest(batch.last_offset());
    return ok();
}

void LogCleaning::note_producer(const record::BatchView& batch) {
    if (batch.producer_id().value < 0 || batch.is_control()) return;
    const auto* const known = BatchFilter::find(source_.producers, batch.producer_id());
    if (known != nullptr && known->last_offset >= source_.segments.back().next_base)
        last_in_map_[batch.producer_id()] = batch.last_offset();
}

Cleaning::Step LogCleaning::begin_groups() {
    figures_.map_utilisation = map_.utilisation();
    groups_ = group_segments(source_.segments, map_.latest().next(), source_.options,
                             limits_.segments_at_once);
    phase_ = Phase::clean;
    reader_.reset();
    at_ = 0;
    return groups_.empty() ? Step::done : Step::goes_on;
}

Result<void> LogCleaning::open_group() {
    const Offset base = source_.segments[group().first].base;
    writer_ = std::make_unique<CleanedWriter>(files_, source_.directory, base,
                                              source_.options.index_interval_bytes);
    has_changed_ = group().count > 1;
    at_ = group().first;
    return writer_->create(transaction_indexes_.contains(base));
}

Result<Cleaning::Step> LogCleaning::clean_some() {
    INVARIANT(!ready_, "a segment is ready and was not swapped");
    if (group_at_ == groups_.size()) return Step::done;
    if (writer_ == nullptr) TRY_VOID(open_group());
    if (at_ == group().first + group().count) return finish_group();
    if (reader_ == nullptr) TRY_VOID(open_segment(at_, filter_.transactions()));
    std::uint64_t bytes = 0;
    while (bytes < limits_.read_bytes) {
        TRY(const auto batch, reader_->next());
        if (!batch) break;
        bytes += batch->size();
        TRY_VOID(clean_batch(*batch));
    }
    figures_.bytes_read += bytes;
    if (bytes >= limits_.read_bytes) return Step::goes_on;
    reader_.reset();
    ++at_;
    return Step::goes_on;
}

Result<void> LogCleaning::clean_batch(const record::BatchView& batch) {
    TRY(const FilteredBatch left, filter_.filter(batch));
    if (const auto aborted = filter_.transactions().take_indexed())
        TRY_VOID(writer_->append(*aborted));
    figures_.records_read += static_cast<std::uint64_t>(batch.record_count());
    figures_.records_kept += left.kept;
    figures_.keyless_records += left.keyless;
    has_changed_ |= left.outcome != FilteredBatch::Outcome::as_it_was;
    if (left.outcome == FilteredBatch::Outcome::gone) return ok();
    const bool is_new = left.outcome == FilteredBatch::Outcome::rewritten;
    const record::BatchView kept = is_new ? record::BatchView(left.bytes) : batch;
    figures_.bytes_written += kept.size();
    return writer_->append(kept);
}

/// A segment that has nothing to lose stays as it is.
Result<Cleaning::Step> LogCleaning::finish_group() {
    figures_.segments_before += group().count;
    ++figures_.segments_after;
    if (!has_changed_) {
        clear_up();
        ++group_at_;
        return group_at_ == groups_.size() ? Step::done : Step::goes_on;
    }
    TRY(ready_, writer_->finish());
    for (std::size_t i = 0; i < group().count; ++i)
        ready_->replaces.push_back(source_.segments[group().first + i].base);
    return Step::ready;
}

void LogCleaning::swapped() {
    INVARIANT(ready_, "nothing was ready");
    ready_.reset();
    writer_.reset();
    ++group_at_;
}

/// What can't be removed now is removed by the next start.
void LogCleaning::clear_up() {
    reader_.reset();
    if (writer_ == nullptr) return;
    writer_.reset();
    ready_.reset();
    const Offset base = source_.segments[group().first].base;
    for (const std::string_view suffix : kSegmentSuffixes) {
        const auto removed = files_.remove(path_of(base, suffix) + std::string(kCleanedSuffix));
        if (!removed) return;
    }
}

}  // namespace milena::storage

// SPDX-License-Identifier: Apache-2.0
// What a cleaner asks of a log, and how a cleaned segment takes the place of others. On the disk,
// of the segments 0 and 100 that become one:
//
//   made         0.log          100.log          0.log.cleaned    a start drops the new one
//   make_final   0.log          100.log          0.log.swap       a start takes it from here on,
//   replace_by   0.log.deleted  100.log.deleted  0.log.swap       and drops the old ones
//   come_home    0.log.deleted  100.log.deleted  0.log
//
// Between these steps the directory is synced. A cut of the log in between removes the files of the
// second step, before it cuts: else a start would bring back what was cut.
#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "cleaner/cleaned_writer.h"
#include "partition_log.h"

namespace milena::storage {
namespace {

/// Segments of which one call, under the guard, reads what is remembered from then on.
constexpr std::size_t kReadAtOnce = 32;

struct MadeSegment {
    Offset base;
    std::uint64_t bytes = 0;
    std::uint64_t index_bytes = 0;
    std::uint64_t time_index_bytes = 0;
    std::uint64_t transaction_index_bytes = 0;
    Timestamp created_at;
};

std::unique_ptr<Segment> segment_made_of(env::FileSystem& files, const std::string& directory,
                                         const MadeSegment& made, std::string_view tail) {
    auto segment = std::make_unique<Segment>(files, directory, made.base, made.bytes, tail);
    segment->offset_index().file().attach(made.index_bytes);
    segment->time_index().file().attach(made.time_index_bytes);
    segment->transaction_index().file().attach(made.transaction_index_bytes);
    segment->set_created_at(made.created_at);
    return segment;
}

}  // namespace

std::size_t PartitionLog::count_sealed(Offset limit) const {
    std::size_t count = 0;
    while (is_sealed(count) && segments_[count + 1]->base() <= limit) ++count;
    return count;
}

/// Of `count` segments those before the first dirty one with a record that is too young, or that is
/// not known yet: each call knows some more.
Result<std::size_t> PartitionLog::count_old_enough(std::size_t first, std::size_t count) {
    const std::int64_t lag_ms = options_.compaction->min_compaction_lag_ms;
    if (lag_ms <= 0) return count;
    std::size_t read = 0;
    for (std::size_t i = first; i < count; ++i) {
        if (!segments_[i]->is_max_timestamp_known() && ++read > kReadAtOnce) return i;
        TRY(const Timestamp newest, newest_record(i));
        if (clock_.wall().value - newest.value < lag_ms) return i;
    }
    return count;
}

/// As far as it is known; each call knows some more.
Result<std::int64_t> PartitionLog::overdue_ms(std::size_t first, std::size_t count) {
    const std::int64_t lag_ms = options_.compaction->max_compaction_lag_ms;
    std::int64_t overdue = 0;
    std::size_t read = 0;
    for (std::size_t i = first; i < count && lag_ms < INT64_MAX; ++i) {
        if (!segments_[i]->is_first_timestamp_known() && ++read > kReadAtOnce) break;
        const bool was_open = segments_[i]->open_file() != nullptr;
        TRY(const auto oldest, segments_[i]->first_timestamp());
        if (!was_open) segments_[i]->release_file();
        if (oldest && oldest->value > 0)
            overdue = std::max(overdue, clock_.wall().value - oldest->value - lag_ms);
    }
    return overdue;
}

Result<std::optional<DirtyLog>> PartitionLog::dirty_part(const CleaningBounds& bounds) {
    if (!options_.compaction || is_offline_ || swapping_in_) return std::nullopt;
    if (bounds.high_watermark < opened_end_) return std::nullopt;
    Offset limit = std::min({bounds.limit, bounds.high_watermark, durable_end_});
    if (const auto unstable = first_unstable_offset(bounds.high_watermark))
        limit = std::min(limit, *unstable);
    DirtyLog dirty{.first_dirty = std::max(cleaned_to_.value_or(log_start_), log_start_),
                   .ratio_min = options_.compaction->min_cleanable_dirty_ratio};
    const std::size_t sealed = count_sealed(limit);
    std::size_t first = 0;
    while (first < sealed && segments_[first + 1]->base() <= dirty.first_dirty) ++first;
    TRY(const std::size_t count, count_old_enough(first, sealed));
    for (std::size_t i = 0; i < count; ++i)
        (i < first ? dirty.clean_bytes : dirty.dirty_bytes) += segments_[i]->size();
    if (dirty.dirty_bytes == 0) return std::nullopt;
    dirty.end = segments_[count]->base();
    TRY(dirty.overdue_ms, overdue_ms(first, count));
    return dirty;
}

std::vector<LastOfProducer> PartitionLog::last_of_producers() const {
    std::vector<LastOfProducer> lasts;
    lasts.reserve(producers_.size());
    for (const ProducerEntry* const entry : producers_.sorted()) {
        const ProducedBatch* const last = entry->last_batch();
        lasts.push_back(
            {entry->id, last == nullptr ? Offset(-1) : last->last_offset, entry->epoch});
    }
    return lasts;
}

Result<CleaningSource> PartitionLog::begin_cleaning(const DirtyLog& dirty) {
    TRY_VOID(check_usable());
    CleaningSource source{.ticket = {identity_, truncations_},
                          .directory = directory_,
                          .options = options_,
                          .first_dirty = dirty.first_dirty,
                          .producers = last_of_producers()};
    std::size_t index = 0;
    for (; is_sealed(index) && segments_[index + 1]->base() <= dirty.end; ++index) {
        Segment& segment = *segments_[index];
        source.segments.push_back({segment.base(), segments_[index + 1]->base(), segment.size(),
                                   segment.offset_index().file().bytes(),
                                   segment.time_index().file().bytes()});
    }
    if (source.segments.empty() || !options_.compaction || segments_[index]->base() != dirty.end)
        return fail(ErrorCode::offset_out_of_range, "the log is not what it was");
    for (; index < segments_.size(); ++index) {
        TRY(const bool is_complete, segments_[index]->transaction_index().overlapping(
                                        Offset(0), dirty.end, source.later_aborted));
        if (is_complete) break;
    }
    return source;
}

std::optional<std::size_t> PartitionLog::find_replaced(const CleanedSegment& cleaned) const {
    const std::size_t first = segment_of(cleaned.base);
    for (std::size_t i = 0; i < cleaned.replaces.size(); ++i) {
        if (!is_sealed(first + i) || segments_[first + i]->base() != cleaned.replaces[i])
            return std::nullopt;
    }
    return first;
}

bool PartitionLog::begin_swap_in(const CleaningTicket& ticket, const CleanedSegment& cleaned) {
    if (!is_own(ticket) || swapping_in_ || !find_replaced(cleaned)) return false;
    swapping_in_ = cleaned.base;
    return true;
}

Result<std::optional<std::vector<std::string>>> PartitionLog::replace_by(
    const CleaningTicket& ticket, const CleanedSegment& cleaned) {
    if (!is_own(ticket) || swapping_in_ != cleaned.base) return std::nullopt;
    const auto first = find_replaced(cleaned);
    INVARIANT(first, "segments went while others were to take their place");
    swapping_in_.reset();
    std::vector<std::string> paths;
    const auto begin = segments_.begin() + static_cast<std::ptrdiff_t>(*first);
    const auto end = begin + static_cast<std::ptrdiff_t>(cleaned.replaces.size());
    Timestamp created_at{INT64_MIN};
    for (auto old = begin; old != end; ++old) {
        const Offset base = (*old)->base();
        size_bytes_ -= (*old)->size();
        created_at = std::max(created_at, (*old)->created_at());
        forget_unsynced(base);
        const bool with_snapshot = base != cleaned.base && base != snapshot_at_;
        TRY_VOID(or_offline((*old)->set_aside(paths, with_snapshot)));
    }
    *begin =
        segment_made_of(files_, directory_,
                        {cleaned.base, cleaned.bytes, cleaned.index_bytes, cleaned.time_index_bytes,
                         cleaned.transaction_index_bytes, created_at},
                        kSwapSuffix);
    segments_.erase(begin + 1, end);
    size_bytes_ += cleaned.bytes;
    last_limit_.base = Offset(-1);
    return paths;
}

Result<bool> PartitionLog::come_home(const CleaningTicket& ticket, const CleanedSegment& cleaned) {
    // A cut may have changed it, or removed it: a start finds what is left by its own name.
    if (!is_own(ticket)) return false;
    std::unique_ptr<Segment>& segment = segments_[segment_of(cleaned.base)];
    if (segment->base() != cleaned.base || !segment->has_tail()) return false;
    TRY_VOID(or_offline(bring_home(segment)));
    return true;
}

Result<void> PartitionLog::bring_home(std::unique_ptr<Segment>& segment) {
    for (const std::string_view suffix : kSegmentSuffixes) {
        const std::string home = directory_ + "/" + segment_file_name(segment->base(), suffix);
        const std::string from = home + std::string(kSwapSuffix);
        if (files_.exists(from)) TRY_VOID(files_.rename(from, home));
    }
    segment =
        segment_made_of(files_, directory_,
                        {segment->base(), segment->size(), segment->offset_index().file().bytes(),
                         segment->time_index().file().bytes(),
                         segment->transaction_index().file().bytes(), segment->created_at()},
                        {});
    return ok();
}

/// A new segment that is in place already gets its names. Of one that is not yet the files go, what
/// ends in ".cleaned" first: a rename that is under way finds it, or is undone after it.
Result<void> PartitionLog::call_off_swap() {
    for (auto& segment : segments_) {
        if (!segment->has_tail()) continue;
        TRY_VOID(files_.sync_directory(directory_));
        TRY_VOID(bring_home(segment));
    }
    if (!swapping_in_) return ok();
    const Offset base = *std::exchange(swapping_in_, std::nullopt);
    for (const std::string_view tail : {kCleanedSuffix, kSwapSuffix}) {
        for (const std::string_view suffix : kSegmentSuffixes | std::views::reverse) {
            TRY_VOID(files_.remove(
                fmt::format("{}/{}{}", directory_, segment_file_name(base, suffix), tail)));
        }
    }
    return files_.sync_directory(directory_);
}

Result<void> PartitionLog::call_off_swap_in(const CleaningTicket& ticket) {
    if (!is_own(ticket)) return ok();
    return or_offline(call_off_swap());
}

}  // namespace milena::storage

// SPDX-License-Identifier: Apache-2.0
// Where a log begins: raised by its owner, and by the age and size of its oldest segments. Files
// are only renamed here, which is quick enough for the guard; the rest is for whoever asked.
#include <fmt/format.h>

#include "partition_log.h"

namespace milena::storage {

Result<void> PartitionLog::raise_start(Offset start) {
    TRY_VOID(check_usable());
    if (start > log_end_) {
        return fail(ErrorCode::offset_out_of_range,
                    fmt::format("a start of {} behind the end {}", start, log_end_));
    }
    if (start <= log_start_) return ok();
    log_start_ = start;
    epochs_.truncate_start(start);
    return ok();
}

/// As long as Kafka draws it: for each segment anew, and never more than segment.ms.
void PartitionLog::draw_jitter() {
    const std::int64_t jitter_max = std::min(options_.segment_jitter_ms, options_.segment_ms);
    jitter_ms_ =
        jitter_max <= 0
            ? 0
            : static_cast<std::int64_t>(random_.next() % static_cast<std::uint64_t>(jitter_max));
}

void PartitionLog::set_options(const LogOptions& options) {
    const bool draws = options.segment_jitter_ms != options_.segment_jitter_ms;
    options_ = options;
    if (draws) draw_jitter();
    if (unsynced_gap_) settle_gap();
}

/// Of a topic whose offsets have no gaps a segment was lost, and the log ends there. A failure
/// takes it offline.
void PartitionLog::settle_gap() {
    const Offset gap = *std::exchange(unsynced_gap_, std::nullopt);
    // What lies before the start of the log is not missed any more.
    if (!options_.is_gapless || gap <= log_start_ || gap >= log_end_) return;
    LOG_WARN(logger_, "dropping segments behind a gap", kv("directory", directory_),
             kv("log_end", gap));
    const auto cut = truncate_to(gap);
    INVARIANT(cut || is_offline_, "a cut that failed and left the log in use");
}

/// Greatest timestamp in the segment. Records without one are as old as this process knows them.
Result<Timestamp> PartitionLog::newest_record(std::size_t index) {
    Segment& segment = *segments_[index];
    const bool was_open = segment.open_file() != nullptr;
    TRY(const TimeIndex::Entry greatest, segment.max_timestamp());
    if (!was_open && is_sealed(index)) segment.release_file();
    return greatest.timestamp.value >= 0 ? greatest.timestamp : segment.created_at();
}

Result<bool> PartitionLog::is_old(std::size_t index, std::uint64_t log_bytes) {
    if (is_sealed(index) && segments_[index + 1]->base() <= log_start_) return true;
    if (options_.retention_bytes >= 0) {
        const auto kept = static_cast<std::uint64_t>(options_.retention_bytes);
        if (log_bytes >= kept && log_bytes - kept >= segments_[index]->size()) return true;
    }
    if (options_.retention_ms < 0) return false;
    TRY(const Timestamp newest, newest_record(index));
    return clock_.wall().value - newest.value > options_.retention_ms;
}

/// How many segments, from the first on, are to go.
Result<std::size_t> PartitionLog::count_old_segments(Offset high_watermark,
                                                     std::size_t segments_max) {
    std::uint64_t bytes = size_bytes_;
    std::size_t count = 0;
    while (count < segments_.size() && count < segments_max) {
        const bool sealed = is_sealed(count);
        const Offset end = sealed ? segments_[count + 1]->base() : log_end_;
        const bool is_empty_end = !sealed && segments_[count]->size() == 0;
        if (is_empty_end || end > high_watermark) break;
        TRY(const bool goes, is_old(count, bytes));
        if (!goes) break;
        bytes -= segments_[count]->size();
        ++count;
    }
    return count;
}

Result<std::vector<std::string>> PartitionLog::take_out(std::size_t count) {
    std::vector<std::string> paths;
    // First what may be read, then the files: whatever fails, nothing is found half.
    log_start_ = std::max(log_start_, segments_[count]->base());
    durable_end_ = std::max(durable_end_, log_start_);
    epochs_.truncate_start(log_start_);
    for (; count > 0; --count) {
        const std::unique_ptr<Segment> segment = std::move(segments_.front());
        segments_.erase(segments_.begin());
        size_bytes_ -= segment->size();
        forget_unsynced(segment->base());
        TRY_VOID(or_offline(segment->set_aside(paths)));
    }
    return paths;
}

/// Files that wait for a sync would keep their space until then.
void PartitionLog::forget_unsynced(Offset base) {
    const std::string stem = directory_ + "/" + segment_file_name(base, ".");
    std::erase_if(unsynced_,
                  [&](const Unsynced& one) { return one.file->path().starts_with(stem); });
}

/// The last one goes too once there is another behind it. A full disk has no room for that one, and
/// the others make some.
Result<std::size_t> PartitionLog::roll_if_all_go(std::size_t count) {
    if (count < segments_.size()) return count;
    const Result<void> rolled = roll(log_end_);
    if (rolled) return count;
    if (count == 1 || !env::is_out_of_space(rolled.error())) return std::unexpected(rolled.error());
    return count - 1;
}

/// A power cut that kept the removals and lost the name of the segment behind them would leave a
/// log that begins at 0.
std::size_t PartitionLog::up_to_a_synced_name(std::size_t count) const {
    if (names_made_ == names_synced_) return count;
    while (count > 0 && segments_[count]->base() >= first_new_name_) --count;
    return count;
}

Result<std::vector<std::string>> PartitionLog::remove_old_segments(Offset high_watermark,
                                                                   std::size_t segments_max) {
    TRY_VOID(check_usable());
    if (swapping_in_) return std::vector<std::string>{};  // the next check is soon enough
    TRY(const std::size_t old, count_old_segments(high_watermark, segments_max));
    if (old == 0) return std::vector<std::string>{};
    TRY(const std::size_t followed, roll_if_all_go(old));
    const std::size_t count = up_to_a_synced_name(followed);
    needs_names_ |= count < followed;
    if (count == 0) return std::vector<std::string>{};
    LOG_INFO(logger_, "segments leave the log", kv("directory", directory_), kv("segments", count),
             kv("log_start", segments_[count]->base()));
    return take_out(count);
}

}  // namespace milena::storage

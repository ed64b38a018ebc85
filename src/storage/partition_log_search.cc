// SPDX-License-Identifier: Apache-2.0
// Finding bytes by offset and records by timestamp.
#include <fmt/format.h>

#include "milena/record/records.h"
#include "partition_log.h"

namespace milena::storage {

std::size_t PartitionLog::segment_of(Offset offset) const {
    const auto after = std::ranges::upper_bound(
        segments_, offset, {}, [](const auto& segment) { return segment->base(); });
    return after == segments_.begin() ? 0 : static_cast<std::size_t>(after - segments_.begin()) - 1;
}

Result<std::shared_ptr<env::File>> PartitionLog::file_of(std::size_t index) {
    Segment& segment = *segments_[index];
    if (is_sealed(index) && segment.base() != recently_read_[0]) {
        if (segment.base() != recently_read_[1]) {
            const std::size_t oldest = segment_of(recently_read_[1]);
            if (segments_[oldest]->base() == recently_read_[1] && is_sealed(oldest))
                segments_[oldest]->release_file();
        }
        recently_read_ = {segment.base(), recently_read_[0]};
    }
    return segment.file();
}

Result<std::uint64_t> PartitionLog::end_position(std::size_t index, Offset limit,
                                                 std::uint64_t cap) {
    Segment& segment = *segments_[index];
    const bool is_whole =
        is_sealed(index) ? segments_[index + 1]->base() <= limit : log_end_ <= limit;
    if (is_whole) return std::min(segment.size(), cap);
    if (last_limit_.base == segment.base() && last_limit_.limit == limit)
        return std::min(last_limit_.position, cap);
    // The index alone may tell that the bytes asked for end below the limit.
    TRY(const OffsetIndex::Entry below, segment.offset_index().floor(limit + -1));
    if (cap <= below.position) return cap;
    Segment::Header header;
    TRY(const auto batch, segment.find(limit, header));
    last_limit_ = {segment.base(), limit, batch ? batch->position : segment.size()};
    return std::min(last_limit_.position, cap);
}

Result<FileRange> PartitionLog::read(Offset from, Offset upper, std::uint64_t bytes_max,
                                     bool at_least_one) {
    if (from < log_start_ || from > log_end_) {
        return fail(ErrorCode::offset_out_of_range,
                    fmt::format("offset {} is not in [{}, {}]", from, log_start_, log_end_));
    }
    const Offset limit = std::min(upper, log_end_);
    for (std::size_t index = segment_of(from); index < segments_.size() && from < limit; ++index) {
        if (segments_[index]->base() >= limit) break;
        if (segments_[index]->size() == 0) continue;
        TRY(const auto file, file_of(index));
        Segment::Header header;
        TRY(const auto batch, segments_[index]->find(from, header));
        if (!batch) continue;  // all it had from here on was compacted away
        const std::uint64_t wanted = at_least_one ? std::max(bytes_max, batch->size) : bytes_max;
        if (wanted < batch->size) break;
        const std::uint64_t cap =
            wanted > UINT64_MAX - batch->position ? UINT64_MAX : batch->position + wanted;
        TRY(const std::uint64_t end, end_position(index, limit, cap));
        if (end <= batch->position) break;  // the batch itself reaches the limit
        return FileRange{file, batch->position, end - batch->position};
    }
    return FileRange{};
}

Result<std::optional<TimestampOffset>> PartitionLog::first_record(const env::File& file,
                                                                  const FoundBatch& found,
                                                                  Timestamp from, Offset limit) {
    std::vector<std::byte> memory;
    TRY(const record::BatchView batch, read_batch(file, found, memory));
    std::optional<TimestampOffset> answer;
    TRY_VOID(record::for_each_record(batch, {}, [&](const record::RecordView& record) {
        if (record.offset >= limit) return false;
        if (record.offset < log_start_ || record.timestamp < from) return true;
        answer = TimestampOffset{record.timestamp, record.offset, batch.leader_epoch()};
        return false;
    }));
    return answer;
}

Result<std::optional<TimestampOffset>> PartitionLog::find_timestamp_in(std::size_t index,
                                                                       Timestamp when,
                                                                       Offset limit) {
    Segment& segment = *segments_[index];
    if (segment.size() == 0) return std::nullopt;
    TRY(const auto file, file_of(index));
    TRY(const TimeIndex::Entry greatest, segment.max_timestamp());
    if (greatest.timestamp < when) return std::nullopt;
    TRY(const TimeIndex::Entry earlier, segment.time_index().last_before(when));
    TRY(const OffsetIndex::Entry entry,
        segment.offset_index().floor(std::max(earlier.offset, log_start_)));
    HeaderWalk walk(*file, entry.position, segment.size());
    while (true) {
        TRY(const auto batch, walk.next());
        if (!batch || batch->view.base_offset() >= limit) return std::nullopt;
        if (batch->view.last_offset() < log_start_ || batch->view.max_timestamp() < when) continue;
        TRY(const auto answer, first_record(*file, *batch, when, limit));
        if (answer) return answer;
    }
}

Result<std::optional<TimestampOffset>> PartitionLog::find_timestamp(Timestamp when, Offset upper) {
    const Offset limit = std::min(upper, log_end_);
    for (std::size_t index = segment_of(log_start_); index < segments_.size(); ++index) {
        if (segments_[index]->base() >= limit) break;
        TRY(const auto answer, find_timestamp_in(index, when, limit));
        if (answer) return answer;
    }
    return std::nullopt;
}

/// Greatest timestamp of the batch's records that lie in the log: the header's, unless the log
/// begins inside the batch.
Result<Timestamp> PartitionLog::timestamp_in_log(const env::File& file, const FoundBatch& found) {
    if (found.view.base_offset() >= log_start_) return found.view.max_timestamp();
    std::vector<std::byte> memory;
    TRY(const record::BatchView batch, read_batch(file, found, memory));
    Timestamp greatest(INT64_MIN);
    TRY_VOID(record::for_each_record(batch, {}, [&](const record::RecordView& record) {
        if (record.offset >= log_start_) greatest = std::max(greatest, record.timestamp);
        return true;
    }));
    return greatest;
}

/// The first batch of the segment, of those in the log and below `limit`, that has the greatest
/// timestamp.
Result<std::optional<FoundBatch>> PartitionLog::max_timestamp_batch(std::size_t index, Offset limit,
                                                                    Segment::Header& header) {
    Segment& segment = *segments_[index];
    if (segment.size() == 0) return std::nullopt;
    TRY(const auto file, file_of(index));
    const Offset end = is_sealed(index) ? segments_[index + 1]->base() : log_end_;
    TRY(const TimeIndex::Entry greatest, segment.max_timestamp());
    if (segment.base() >= log_start_ && end <= limit) {
        // Without any timestamp all are equal, and the first has the greatest.
        const bool has_none = greatest.timestamp.value < 0;
        return segment.find(has_none ? segment.base() : greatest.offset, header);
    }
    // The log begins or is cut inside the segment: the index tells where to begin, the headers the
    // rest.
    TRY(const TimeIndex::Entry below, segment.time_index().last_below(limit));
    const bool starts_below = segment.base() < log_start_;
    TRY(const OffsetIndex::Entry entry,
        segment.offset_index().floor(starts_below ? log_start_ : below.offset));
    HeaderWalk walk(*file, entry.position, segment.size());
    std::optional<FoundBatch> best;
    Timestamp best_timestamp(INT64_MIN);
    while (true) {
        TRY(const auto batch, walk.next());
        if (!batch || batch->view.last_offset() >= limit) break;
        if (batch->view.last_offset() < log_start_ || batch->view.record_count() == 0) continue;
        TRY(const Timestamp timestamp, timestamp_in_log(*file, *batch));
        if (timestamp <= best_timestamp) continue;
        best_timestamp = timestamp;
        std::ranges::copy(batch->view.bytes(), header.begin());
        best = FoundBatch{batch->position, batch->size, record::BatchView(header)};
    }
    return best;
}

Result<std::optional<TimestampOffset>> PartitionLog::find_max_timestamp(Offset upper) {
    const Offset limit = std::min(upper, log_end_);
    std::optional<TimestampOffset> answer;
    for (std::size_t index = segment_of(log_start_); index < segments_.size(); ++index) {
        if (segments_[index]->base() >= limit) break;
        Segment::Header header;
        TRY(const auto batch, max_timestamp_batch(index, limit, header));
        if (!batch) continue;
        TRY(const auto file, file_of(index));
        TRY(const Timestamp timestamp, timestamp_in_log(*file, *batch));
        if (answer && timestamp <= answer->timestamp) continue;
        TRY(const auto first, first_record(*file, *batch, timestamp, limit));
        if (first) answer = first;
    }
    return answer;
}

}  // namespace milena::storage

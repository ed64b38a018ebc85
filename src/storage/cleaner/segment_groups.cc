// SPDX-License-Identifier: Apache-2.0
// One pass: a segment joins the group before it as long as the sums allow.
#include "cleaner/segment_groups.h"

#include <algorithm>

namespace milena::storage {
namespace {

struct Sums {
    std::uint64_t bytes = 0;
    std::uint64_t index_bytes = 0;
    std::uint64_t time_index_bytes = 0;

    Sums with(const CleaningSource::Segment& segment) const {
        return {bytes + segment.bytes, index_bytes + segment.index_bytes,
                time_index_bytes + segment.time_index_bytes};
    }
    bool fit(const LogOptions& options) const {
        // Indexes hold positions as i32.
        const std::uint64_t bytes_max = std::min<std::uint64_t>(options.segment_bytes, INT32_MAX);
        return bytes <= bytes_max && index_bytes <= options.segment_index_bytes &&
               time_index_bytes <= options.segment_index_bytes;
    }
};

}  // namespace

std::vector<SegmentGroup> group_segments(std::span<const CleaningSource::Segment> segments,
                                         Offset end, const LogOptions& options,
                                         std::size_t segments_at_once) {
    std::vector<SegmentGroup> groups;
    Sums sums;
    for (std::size_t i = 0; i < segments.size() && segments[i].base < end; ++i) {
        const CleaningSource::Segment& segment = segments[i];
        const Sums with = sums.with(segment);
        // Offsets in an index are relative to the base. What is empty has none: else an empty
        // segment would be left behind for every 2^31 records.
        const bool joins =
            !groups.empty() && groups.back().count < segments_at_once && with.fit(options) &&
            (segment.bytes == 0 ||
             segment.next_base - segments[groups.back().first].base <= std::int64_t{INT32_MAX} + 1);
        if (joins) {
            ++groups.back().count;
            sums = with;
        } else {
            groups.push_back({i, 1});
            sums = Sums{}.with(segment);
        }
    }
    return groups;
}

}  // namespace milena::storage

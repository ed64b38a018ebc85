// SPDX-License-Identifier: Apache-2.0
// Which segments become one in a cleaning: neighbours that together fit a segment and its indexes.
// Pure.
#pragma once

#include <span>
#include <vector>

#include "milena/storage/cleaning.h"

namespace milena::storage {

/// A run of CleaningSource::segments.
struct SegmentGroup {
    std::size_t first = 0;
    std::size_t count = 0;
};

/// Of the segments that begin below `end`, in their order, none left out.
std::vector<SegmentGroup> group_segments(std::span<const CleaningSource::Segment> segments,
                                         Offset end, const LogOptions& options,
                                         std::size_t segments_at_once);

}  // namespace milena::storage

// SPDX-License-Identifier: Apache-2.0
// Which segments become one.
#include "cleaner/segment_groups.h"

#include <gtest/gtest.h>

namespace milena::storage {
namespace {

using Segments = std::vector<CleaningSource::Segment>;

LogOptions options(std::uint64_t segment_bytes, std::uint64_t index_bytes = 1000) {
    LogOptions out;
    out.segment_bytes = segment_bytes;
    out.segment_index_bytes = index_bytes;
    return out;
}

/// Segments of 10 offsets each.
Segments of(std::initializer_list<std::uint64_t> bytes, std::uint64_t index_bytes = 0) {
    Segments out;
    for (const std::uint64_t size : bytes) {
        const Offset base(static_cast<std::int64_t>(out.size()) * 10);
        out.push_back({base, base + 10, size, index_bytes, 0});
    }
    return out;
}

std::vector<std::size_t> counts(const std::vector<SegmentGroup>& groups) {
    std::vector<std::size_t> out;
    std::size_t next = 0;
    for (const SegmentGroup& group : groups) {
        EXPECT_EQ(group.first, next) << "none is left out";
        next += group.count;
        out.push_back(group.count);
    }
    return out;
}

using Counts = std::vector<std::size_t>;
constexpr Offset kEnd{INT64_MAX};

TEST(SegmentGroups, NeighboursJoinUpToTheSizeOfASegment) {
    const Segments segments = of({60, 40, 1, 30, 30, 30, 100});
    EXPECT_EQ(counts(group_segments(segments, kEnd, options(100), 9)), (Counts{2, 4, 1}));
}

TEST(SegmentGroups, ALargeOneIsAGroupOfItsOwn) {
    EXPECT_EQ(counts(group_segments(of({500, 1, 500}), kEnd, options(100), 9)), (Counts{1, 1, 1}));
}

TEST(SegmentGroups, IndexesHaveToFitToo) {
    EXPECT_EQ(counts(group_segments(of({1, 1, 1}, 600), kEnd, options(100), 9)), (Counts{1, 1, 1}));
}

TEST(SegmentGroups, NoMoreThanSomeAtOnce) {
    EXPECT_EQ(counts(group_segments(of({1, 1, 1, 1, 1}), kEnd, options(100), 2)),
              (Counts{2, 2, 1}));
}

TEST(SegmentGroups, OnlyWhatBeginsBelowTheEnd) {
    EXPECT_EQ(counts(group_segments(of({1, 1, 1}), Offset(11), options(100), 9)), Counts{2});
    EXPECT_EQ(counts(group_segments(of({1, 1, 1}), Offset(10), options(100), 9)), Counts{1});
    EXPECT_EQ(counts(group_segments(of({1, 1, 1}), Offset(0), options(100), 9)), Counts{});
}

TEST(SegmentGroups, OffsetsFitWhatAnIndexCanTell) {
    constexpr std::int64_t kFar = std::int64_t{INT32_MAX} + 1;
    const Segments segments{{Offset(0), Offset(10), 1, 0, 0},
                            {Offset(10), Offset(kFar), 1, 0, 0},
                            {Offset(kFar), Offset(kFar + 1), 1, 0, 0}};
    EXPECT_EQ(counts(group_segments(segments, kEnd, options(100), 9)), (Counts{2, 1}));
    // An empty one has no offsets.
    const Segments empty{{Offset(0), Offset(10), 1, 0, 0},
                         {Offset(kFar), Offset(kFar + 9), 0, 0, 0}};
    EXPECT_EQ(counts(group_segments(empty, kEnd, options(100), 9)), Counts{2});
}

}  // namespace
}  // namespace milena::storage

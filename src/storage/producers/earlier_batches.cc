// SPDX-License-Identifier: Apache-2.0
// The headers at the end of the log make states of their own, from which the others are filled up.
#include "producers/earlier_batches.h"

#include <algorithm>

namespace milena::storage {
namespace {

/// More than what usual producers have on their way together; a walk over it takes about a
/// millisecond.
constexpr std::uint64_t kLookBackBytes = 4U << 20;

/// Where the walk begins in a segment of whose end `bytes_max` are looked at: at a batch.
Result<std::uint64_t> begin_of_walk(Segment& segment, std::uint64_t bytes_max) {
    if (segment.size() <= bytes_max) return 0U;
    TRY(OffsetIndex::Entry entry, segment.offset_index().first_at(segment.size() - bytes_max));
    if (entry.position == 0) {
        TRY(entry, segment.offset_index().last());
    }
    return entry.position;
}

Result<void> note_end(Segment& segment, std::uint64_t bytes_max, ProducerStates& end_of_log) {
    if (segment.size() == 0) return ok();
    TRY(const auto file, segment.file());
    TRY(const std::uint64_t begin, begin_of_walk(segment, bytes_max));
    HeaderWalk walk(*file, begin, segment.size());
    for (;;) {
        TRY(const auto batch, walk.next());
        if (!batch) return ok();
        const record::BatchView& view = batch->view;
        if (view.producer_id().value >= 0 && !view.is_control()) end_of_log.note(view);
    }
}

}  // namespace

void recall_batches(std::span<const std::unique_ptr<Segment>> segments, ProducerStates& states) {
    std::size_t first = segments.size();
    std::uint64_t bytes = 0;
    while (first > 0 && bytes < kLookBackBytes) bytes += segments[--first]->size();
    ProducerStates end_of_log;
    for (std::size_t i = first; i < segments.size(); ++i) {
        Segment& segment = *segments[i];
        const bool was_open = segment.open_file() != nullptr;
        const std::uint64_t behind = bytes - segment.size();
        const std::uint64_t bytes_max = kLookBackBytes - std::min(behind, kLookBackBytes);
        // A batch that can't be read now is not known, as if it lay too far back: its producer is
        // told so, and nobody else suffers.
        if (!note_end(segment, bytes_max, end_of_log)) end_of_log.clear();
        if (!was_open && i + 1 < segments.size()) segment.release_file();
        bytes = behind;
    }
    states.complete(end_of_log);
}

}  // namespace milena::storage

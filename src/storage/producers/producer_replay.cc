// SPDX-License-Identifier: Apache-2.0
// Snapshot, then headers; a marker is the one kind of batch that is read whole.
#include "producers/producer_replay.h"

#include <algorithm>

#include "producers/producer_snapshot.h"

namespace milena::storage {
namespace {

/// Longest control batch that is looked into. A marker has 78 bytes.
constexpr std::uint64_t kMarkerBytesMax = 4096;

/// The newest whole snapshot at or below `end`.
Result<Offset> restore_snapshot(const ReplayRequest& request, Offset end, ProducerStates& states) {
    for (std::size_t i = request.snapshots.size(); i-- > 0;) {
        const Offset at = request.snapshots[i];
        if (at > end) continue;
        const auto entries = read_snapshot(request.files, request.directory, at);
        if (entries) {
            for (const ProducerEntry& entry : *entries) {
                if (!is_expired(entry, request.now, request.expiration_ms)) states.restore(entry);
            }
            return at;
        }
        if (entries.error().code != ErrorCode::corrupt_message)
            return std::unexpected(entries.error());
        LOG_WARN(request.logger, "removing a damaged producer snapshot",
                 kv("why", entries.error().why));
        TRY_VOID(
            request.files.remove(request.directory + "/" + segment_file_name(at, ".snapshot")));
    }
    return Offset(-1);
}

Result<void> replay_segment(Segment& segment, Offset from, Offset end, ProducerStates& states) {
    if (segment.size() == 0) return ok();
    TRY(const auto file, segment.file());
    TRY(const OffsetIndex::Entry entry, segment.offset_index().floor(from));
    HeaderWalk walk(*file, entry.position, segment.size());
    while (true) {
        TRY(const auto batch, walk.next());
        if (!batch || batch->view.base_offset() >= end) return ok();
        if (batch->view.last_offset() >= from) TRY_VOID(note_batch(states, *file, *batch));
    }
}

}  // namespace

std::optional<EndedTransaction> note_batch(ProducerStates& states, const record::BatchView& batch) {
    if (batch.producer_id().value < 0 || batch.last_offset_delta() < 0) return std::nullopt;
    if (!batch.is_control()) {
        states.note(batch);
        return std::nullopt;
    }
    const auto marker = end_marker_of(batch);
    return marker ? states.note(*marker) : std::nullopt;
}

Result<std::optional<EndedTransaction>> note_batch(ProducerStates& states, const env::File& file,
                                                   const FoundBatch& batch) {
    const bool is_marker = batch.view.producer_id().value >= 0 && batch.view.is_control();
    if (!is_marker) return note_batch(states, batch.view);
    if (batch.size > kMarkerBytesMax) return std::nullopt;
    std::vector<std::byte> memory;
    TRY(const record::BatchView whole, read_batch(file, batch, memory));
    return note_batch(states, whole);
}

Result<Offset> replay_producers(const ReplayRequest& request, Offset end, ProducerStates& states) {
    states.begin_again(end);
    TRY(const Offset snapshot, restore_snapshot(request, end, states));
    if (snapshot == end) return snapshot;
    const auto& segments = request.segments;
    const auto after = std::ranges::upper_bound(
        segments, snapshot, {}, [](const auto& segment) { return segment->base(); });
    for (auto at = after == segments.begin() ? after : after - 1; at != segments.end(); ++at) {
        if ((*at)->base() >= end) break;
        const bool is_last = at + 1 == segments.end();
        const bool was_open = (*at)->open_file() != nullptr;
        TRY_VOID(replay_segment(**at, snapshot, end, states));
        if (!was_open && !is_last) (*at)->release_file();
    }
    return snapshot;
}

}  // namespace milena::storage

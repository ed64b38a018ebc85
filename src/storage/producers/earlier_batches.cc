// SPDX-License-Identifier: Apache-2.0
// Segment by segment backwards, each over its headers forwards.
#include "producers/earlier_batches.h"

#include <algorithm>

namespace milena::storage {
namespace {

/// Five batches of the usual 1 MiB at most, and what others wrote between them.
constexpr std::uint64_t kLookBackBytes = 16U << 20;

/// The part of a segment that is looked at.
struct Part {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Ends where the batch of `offset` begins, or with the segment; begins at an entry of the index.
Result<Part> part_before(Segment& segment, Offset offset, std::uint64_t bytes_max) {
    Part part{.begin = 0, .end = segment.size()};
    Segment::Header header;
    TRY(const auto known, segment.find(offset, header));
    if (known) part.end = known->position;
    if (part.end <= bytes_max) return part;
    TRY(OffsetIndex::Entry entry, segment.offset_index().first_at(part.end - bytes_max));
    if (entry.position == 0) {
        TRY(entry, segment.offset_index().last());
    }
    part.begin = std::min<std::uint64_t>(entry.position, part.end);
    return part;
}

/// What the producer wrote there, in the order of the log.
Result<std::vector<ProducedBatch>> batches_in(Segment& segment, const Part& part,
                                              const ProducerEntry& entry) {
    std::vector<ProducedBatch> found;
    TRY(const auto file, segment.file());
    HeaderWalk walk(*file, part.begin, part.end);
    for (;;) {
        TRY(const auto batch, walk.next());
        if (!batch) return found;
        const record::BatchView& view = batch->view;
        if (view.producer_id() != entry.id || view.producer_epoch() != entry.epoch) continue;
        if (!view.is_control()) found.push_back(produced_batch(view));
    }
}

}  // namespace

Result<std::vector<ProducedBatch>> find_earlier_batches(
    std::span<const std::unique_ptr<Segment>> segments, const ProducerEntry& entry) {
    std::vector<ProducedBatch> earlier;
    const ProducedBatch* next = entry.oldest_batch();
    const std::size_t room = ProducerEntry::kBatches - entry.batch_count;
    std::uint64_t budget = kLookBackBytes;
    for (std::size_t i = segments.size(); i-- > 0 && next != nullptr && budget > 0;) {
        Segment& segment = *segments[i];
        if (segment.base() > next->base_offset() || segment.size() == 0) continue;
        const bool was_open = segment.open_file() != nullptr;
        TRY(const Part part, part_before(segment, entry.oldest_batch()->base_offset(), budget));
        TRY(const auto found, batches_in(segment, part, entry));
        if (!was_open && i + 1 < segments.size()) segment.release_file();
        for (auto at = found.rbegin(); at != found.rend(); ++at) {
            if (earlier.size() == room || !at->is_followed_by(*next)) return earlier;
            earlier.push_back(*at);
            next = &earlier.back();
        }
        budget -= std::min(budget, part.end - part.begin);
    }
    return earlier;
}

}  // namespace milena::storage

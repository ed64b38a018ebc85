// SPDX-License-Identifier: Apache-2.0
// First whether the batch is void as a whole, then record by record. A batch is only encoded anew
// if that changes it.
#include "cleaner/batch_filter.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/record/rewrite.h"

namespace milena::storage {

/// What a walk over the records of a batch has found.
struct BatchFilter::Records {
    record::BatchRewriter rewriter;
    bool has_tombstone = false;  ///< among those that stay
    std::uint32_t keyless = 0;
};

const LastOfProducer* BatchFilter::find(const std::vector<LastOfProducer>& producers,
                                        ProducerId id) {
    const auto at = std::ranges::lower_bound(producers, id, {}, &LastOfProducer::producer);
    return at == producers.end() || at->producer != id ? nullptr : &*at;
}

bool BatchFilter::is_last_of_producer(const record::BatchView& batch) const {
    if (batch.producer_id().value < 0) return false;
    const LastOfProducer* const known = find(producers_, batch.producer_id());
    if (known == nullptr) return false;
    if (known->last_offset < Offset(0))
        return batch.is_control() && batch.producer_epoch() == known->epoch;
    if (known->last_offset < rules_.end || batch.is_control())
        return batch.last_offset() == known->last_offset;
    const auto in_map = last_in_map_.find(batch.producer_id());
    return in_map == last_in_map_.end() || batch.last_offset() >= in_map->second;
}

bool BatchFilter::horizon_is_over(const record::BatchView& batch) const {
    const auto horizon = record::delete_horizon(batch);
    return horizon && *horizon <= rules_.now && batch.last_offset() < rules_.tombstones_stay_from;
}

bool BatchFilter::stays(const record::BatchView& batch, const record::RecordView& record) const {
    if (record.offset > map_.latest()) return true;
    if (!record.key) return false;
    if (record.offset < map_.find(*record.key)) return false;
    return record.value || !horizon_is_over(batch);
}

/// For a leader that keeps markers the records of a control batch always stay.
Result<BatchFilter::Records> BatchFilter::walk(const record::BatchView& batch,
                                               std::optional<Timestamp> new_horizon) {
    Records found{record::BatchRewriter(batch, new_horizon)};
    bool is_too_long = false;
    const auto each = [&](const record::RecordView& record) {
        found.keyless += !batch.is_control() && !record.key && record.offset <= map_.latest();
        if (!batch.is_control() && !stays(batch, record)) return true;
        found.has_tombstone |= !record.value;
        found.rewriter.keep(record);
        is_too_long = found.rewriter.plain_bytes() > rules_.plain_bytes_max;
        return !is_too_long;
    };
    const record::ReadLimits limits{.record_bytes_max = rules_.plain_bytes_max};
    TRY_VOID(record::for_each_record(batch, limits, each, &scratch_));
    if (is_too_long) {
        return fail(ErrorCode::message_too_large,
                    fmt::format("the batch at offset {} has more than {} bytes of records, "
                                "decompressed: it can't be compacted",
                                batch.base_offset(), rules_.plain_bytes_max));
    }
    return found;
}

Result<FilteredBatch> BatchFilter::keep_records(const record::BatchView& batch,
                                                bool is_empty_marker) {
    TRY(Records found, walk(batch, std::nullopt));
    FilteredBatch out{.kept = static_cast<std::uint32_t>(found.rewriter.count()),
                      .keyless = found.keyless};
    if (found.rewriter.count() == 0) return out;
    const bool begins_horizon =
        (found.has_tombstone || is_empty_marker) && !batch.has_delete_horizon();
    out.outcome = FilteredBatch::Outcome::rewritten;
    if (begins_horizon) {
        // Sums that nobody lives to see stay where they are.
        const std::int64_t latest = INT64_MAX - rules_.now.value;
        const Timestamp horizon(rules_.now.value + std::min(rules_.delete_retention_ms, latest));
        TRY(Records again, walk(batch, horizon));
        TRY(out.bytes, std::move(again.rewriter).finish());
    } else if (found.rewriter.count() == batch.record_count()) {
        out.outcome = FilteredBatch::Outcome::as_it_was;
    } else {
        TRY(out.bytes, std::move(found.rewriter).finish());
    }
    return out;
}

Result<FilteredBatch> BatchFilter::filter(const record::BatchView& batch) {
    const bool is_void =
        batch.is_control() ? transactions_.pass_control(batch) : transactions_.pass_data(batch);
    const bool goes = is_void && (!batch.is_control() || horizon_is_over(batch));
    FilteredBatch out;
    if (!goes && batch.record_count() > 0) {
        TRY(out, keep_records(batch, is_void && batch.is_control()));
    }
    if (out.outcome != FilteredBatch::Outcome::gone) return out;
    if (!is_last_of_producer(batch) && batch.next_offset() != rules_.end) return out;
    if (batch.record_count() == 0 && batch.codec_bits() == 0) {
        out.outcome = FilteredBatch::Outcome::as_it_was;
        return out;
    }
    out.bytes = record::empty_batch(batch);
    out.outcome = FilteredBatch::Outcome::rewritten;
    return out;
}

}  // namespace milena::storage

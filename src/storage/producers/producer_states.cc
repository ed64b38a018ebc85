// SPDX-License-Identifier: Apache-2.0
// Kafka's rules for sequences and epochs, in Kafka's order.
#include "producers/producer_states.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/base/invariant.h"
#include "milena/record/records.h"

namespace milena::storage {
namespace {

std::int32_t last_sequence_of(const record::BatchView& batch) {
    const std::int32_t first = batch.base_sequence();
    return first < 0 ? kNoSequence : sequence_after(first, batch.last_offset_delta());
}

std::unexpected<Error> out_of_order(const record::BatchView& batch, const ProducerEntry& known) {
    return fail(ErrorCode::out_of_order_sequence_number,
                fmt::format("producer {} epoch {} sends sequence {}, after epoch {} sequence {}",
                            batch.producer_id(), batch.producer_epoch(), batch.base_sequence(),
                            known.epoch, known.last_sequence()));
}

}  // namespace

void ProducerEntry::set_epoch(std::int16_t now) {
    if (epoch == now) return;
    epoch = now;
    batch_count = 0;
    is_partial = false;
}

void ProducerEntry::add(const ProducedBatch& batch) {
    newest = batch_count == 0 ? 0 : static_cast<std::uint8_t>((newest + 1) % kBatches);
    ring[newest] = batch;
    if (batch_count < kBatches) ++batch_count;
}

const ProducedBatch* ProducerEntry::find(std::int32_t first_sequence,
                                         std::int32_t last_sequence) const {
    for (std::size_t i = 0; i < batch_count; ++i) {
        const ProducedBatch& batch = ring[(newest + kBatches - i) % kBatches];
        if (batch.last_sequence == last_sequence && batch.first_sequence() == first_sequence)
            return &batch;
    }
    return nullptr;
}

std::optional<EndMarker> end_marker_of(const record::BatchView& batch) {
    constexpr std::int16_t kAbort = 0;
    constexpr std::int16_t kCommit = 1;
    constexpr std::size_t kKeyBytes = 4;
    constexpr std::size_t kValueBytes = 6;
    std::optional<EndMarker> marker;
    const auto read = [&](const record::RecordView& record) {
        if (!record.key || record.key->size() < kKeyBytes) return false;
        if (!record.value || record.value->size() < kValueBytes) return false;
        const auto type = load<std::int16_t>(record.key->data() + 2);
        if (type != kAbort && type != kCommit) return false;
        marker = {batch.producer_id(),
                  batch.producer_epoch(),
                  load<std::int32_t>(record.value->data() + 2),
                  type == kAbort,
                  batch.base_offset(),
                  record.timestamp};
        return false;
    };
    if (!batch.is_control() || batch.record_count() == 0) return std::nullopt;
    if (!record::for_each_record(batch, {}, std::ref(read))) return std::nullopt;
    return marker;
}

bool is_expired(const ProducerEntry& entry, Timestamp now, std::int64_t expiration_ms) {
    return !entry.in_transaction() && entry.last_timestamp.value <= now.value - expiration_ms;
}

const ProducerEntry* ProducerStates::find(ProducerId producer) const {
    const auto at = entries_.find(producer);
    return at == entries_.end() ? nullptr : &at->second;
}

Result<std::optional<ProducedBatch>> ProducerStates::check(const record::BatchView& batch) const {
    // Whoever is not known may go on anywhere: what it wrote may have been deleted (KIP-360).
    const ProducerEntry* const known = find(batch.producer_id());
    if (known == nullptr) return std::nullopt;
    const std::int16_t epoch = batch.producer_epoch();
    const std::int32_t first = batch.base_sequence();
    if (epoch == known->epoch) {
        if (const auto* const before = known->find(first, last_sequence_of(batch))) return *before;
    }
    if (epoch < known->epoch) {
        return fail(ErrorCode::invalid_producer_epoch,
                    fmt::format("producer {} epoch {} was followed by epoch {}",
                                batch.producer_id(), epoch, known->epoch));
    }
    if (known->epoch != -1) {
        const std::int32_t next =
            epoch == known->epoch ? sequence_after(known->last_sequence(), 1) : 0;
        if (first != next) return out_of_order(batch, *known);
    }
    if (known->in_transaction() && !batch.is_transactional()) {
        return fail(ErrorCode::invalid_txn_state,
                    fmt::format("producer {} has a transaction open", batch.producer_id()));
    }
    return std::nullopt;
}

bool ProducerStates::lacks(const record::BatchView& batch) const {
    const ProducerEntry* const known = find(batch.producer_id());
    if (known == nullptr || !known->is_partial || known->batch_count == 0) return false;
    if (known->batch_count == ProducerEntry::kBatches) return false;
    if (batch.producer_epoch() != known->epoch || batch.base_sequence() < 0) return false;
    // Sequences go round: what is less than half a turn behind was sent before.
    const auto behind =
        static_cast<std::uint32_t>(known->last_sequence() - last_sequence_of(batch)) & 0x7FFF'FFFFU;
    return behind > 0 && behind < 1U << 30;
}

void ProducerStates::complete(const ProducerStates& end_of_log) {
    for (auto& [id, entry] : entries_) {
        if (!entry.is_partial) continue;
        entry.is_partial = false;
        const ProducerEntry* const read = end_of_log.find(id);
        if (read == nullptr || read->epoch != entry.epoch || entry.batch_count == 0) continue;
        if (read->batch_count <= entry.batch_count || *read->last_batch() != *entry.last_batch())
            continue;
        entry.batch_count = read->batch_count;
        entry.newest = read->newest;
        entry.ring = read->ring;
    }
}

ProducerEntry& ProducerStates::entry_of(ProducerId producer) {
    const auto at = entries_.find(producer);
    if (at != entries_.end()) return at->second;
    if (entries_.size() >= producers_max_) forget_oldest();
    ProducerEntry& entry = entries_[producer];
    entry.id = producer;
    return entry;
}

void ProducerStates::note(const record::BatchView& batch) {
    INVARIANT(batch.producer_id().value >= 0 && !batch.is_control(), "not a producer's batch");
    ProducerEntry& entry = entry_of(batch.producer_id());
    entry.set_epoch(batch.producer_epoch());
    entry.add({last_sequence_of(batch), batch.last_offset_delta(), batch.last_offset(),
               batch.max_timestamp()});
    entry.last_timestamp = batch.max_timestamp();
    if (batch.is_transactional() && !entry.in_transaction())
        open_transaction(entry, batch.base_offset());
}

void ProducerStates::open_transaction(ProducerEntry& entry, Offset first_offset) {
    entry.transaction_start = first_offset;
    const auto after =
        std::ranges::upper_bound(open_, first_offset, {}, &OpenTransaction::first_offset);
    open_.insert(after, {first_offset, entry.id});
}

void ProducerStates::close_transaction(ProducerId producer) {
    std::erase_if(open_, [&](const OpenTransaction& open) { return open.producer == producer; });
}

std::optional<EndedTransaction> ProducerStates::note(const EndMarker& marker) {
    ProducerEntry& entry = entry_of(marker.producer);
    const Offset first = entry.transaction_start;
    const bool was_open = entry.in_transaction();
    entry.set_epoch(marker.epoch);
    entry.coordinator_epoch = marker.coordinator_epoch;
    entry.last_timestamp = marker.timestamp;
    entry.transaction_start = Offset(-1);
    if (!was_open) return std::nullopt;
    close_transaction(entry.id);
    // Known already where the log is read again.
    if (unreplicated_.empty() || unreplicated_.back().last_offset < marker.offset)
        unreplicated_.push_back({first, marker.offset});
    const Offset stable = open_.empty() ? marker.offset.next() : open_.front().first_offset;
    return EndedTransaction{marker.producer, first, marker.offset, stable, marker.is_abort};
}

void ProducerStates::restore(const ProducerEntry& entry) {
    ProducerEntry& own = entry_of(entry.id);
    if (own.in_transaction()) close_transaction(entry.id);
    own = entry;
    own.is_partial = true;
    if (entry.in_transaction()) open_transaction(own, entry.transaction_start);
}

void ProducerStates::clear() {
    entries_.clear();
    open_.clear();
    unreplicated_.clear();
}

void ProducerStates::begin_again(Offset end) {
    entries_.clear();
    open_.clear();
    std::erase_if(unreplicated_, [&](const UnreplicatedTransaction& transaction) {
        return transaction.last_offset >= end;
    });
}

std::optional<Offset> ProducerStates::first_unstable(Offset high_watermark) {
    if (!unreplicated_.empty()) {
        const auto kept = std::ranges::find_if(unreplicated_, [&](const auto& transaction) {
            return transaction.last_offset >= high_watermark;
        });
        unreplicated_.erase(unreplicated_.begin(), kept);
    }
    std::optional<Offset> first;
    if (!open_.empty()) first = open_.front().first_offset;
    for (const UnreplicatedTransaction& transaction : unreplicated_)
        first = std::min(first.value_or(transaction.first_offset), transaction.first_offset);
    return first;
}

void ProducerStates::expire(Timestamp now, std::int64_t expiration_ms) {
    std::erase_if(entries_,
                  [&](const auto& item) { return is_expired(item.second, now, expiration_ms); });
}

void ProducerStates::forget_oldest() {
    std::vector<Timestamp> last;
    for (const auto& [id, entry] : entries_) {
        if (!entry.in_transaction()) last.push_back(entry.last_timestamp);
    }
    if (last.empty()) return;
    const auto eighth = last.begin() + static_cast<std::ptrdiff_t>(last.size() / 8);
    std::ranges::nth_element(last, eighth);
    std::erase_if(entries_, [&](const auto& item) {
        return !item.second.in_transaction() && item.second.last_timestamp <= *eighth;
    });
}

std::vector<const ProducerEntry*> ProducerStates::sorted() const {
    std::vector<const ProducerEntry*> all;
    all.reserve(entries_.size());
    for (const auto& [id, entry] : entries_) all.push_back(&entry);
    std::ranges::sort(all, {}, &ProducerEntry::id);
    return all;
}

}  // namespace milena::storage

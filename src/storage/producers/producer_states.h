// SPDX-License-Identifier: Apache-2.0
// The producers of one partition (Kafka's producer state manager): epoch, last five batches and
// open transaction of each. Pure: it learns of batches once they are in the log, and never asks the
// disk. What a batch of a client means is asked with check(), which changes nothing, so a batch
// that is not appended leaves no trace.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "milena/base/result.h"
#include "milena/record/batch.h"
#include "milena/storage/producer.h"

namespace milena::storage {

using env::Timestamp;

struct ProducerEntry {
    static constexpr std::size_t kBatches = 5;

    ProducerId id = kNoProducer;
    std::int16_t epoch = -1;
    std::uint8_t batch_count = 0;
    std::uint8_t newest = 0;  ///< where in the ring the last batch lies
    /// The log may hold earlier batches that belong into the ring: a snapshot has the last only.
    bool is_partial = false;
    std::int32_t coordinator_epoch = -1;
    Timestamp last_timestamp{-1};
    Offset transaction_start{-1};
    std::array<ProducedBatch, kBatches> ring{};

    const ProducedBatch* last_batch() const { return batch_count == 0 ? nullptr : &ring[newest]; }
    std::int32_t last_sequence() const {
        return batch_count == 0 ? kNoSequence : ring[newest].last_sequence;
    }
    bool in_transaction() const { return transaction_start.value >= 0; }
    /// An epoch begins without batches.
    void set_epoch(std::int16_t now);
    void add(const ProducedBatch& batch);
    const ProducedBatch* find(std::int32_t first_sequence, std::int32_t last_sequence) const;
};

/// What a control batch says that ends a transaction.
struct EndMarker {
    ProducerId producer = kNoProducer;
    std::int16_t epoch = -1;
    std::int32_t coordinator_epoch = -1;
    bool is_abort = false;
    Offset offset;
    Timestamp timestamp{-1};
};

/// The marker in a whole control batch; nothing if it is a control batch of another kind.
std::optional<EndMarker> end_marker_of(const record::BatchView& batch);

/// A transaction that has ended, as the transaction index keeps those that were aborted.
struct EndedTransaction {
    ProducerId producer = kNoProducer;
    Offset first_offset;
    Offset last_offset;  ///< of the marker
    Offset last_stable_offset;
    bool is_abort = false;
};

class ProducerStates {
public:
    /// Most producers that are remembered. The eighth of them that was silent longest goes when
    /// there are more, as if it had expired; those with an open transaction stay.
    static constexpr std::size_t kProducersMax = 100'000;

    explicit ProducerStates(std::size_t producers_max = kProducersMax)
        : producers_max_(producers_max) {}

    /// See Log::check_producer().
    Result<std::optional<ProducedBatch>> check(const record::BatchView& batch) const;

    /// True if `batch` may be in the log though its producer is not known to have sent it: then the
    /// end of the log is to be read, and told with complete().
    bool lacks(const record::BatchView& batch) const;
    /// What the end of the log says of producers that a snapshot left partial.
    void complete(const ProducerStates& end_of_log);

    /// A data batch with a producer id that is in the log now; only its header is looked at.
    void note(const record::BatchView& batch);
    /// A marker that is in the log now. Nothing if no transaction was open.
    std::optional<EndedTransaction> note(const EndMarker& marker);
    /// An entry of a snapshot, of which it has the last batch at most.
    void restore(const ProducerEntry& entry);
    void clear();
    /// As clear(), before the log is read anew up to `end`. Of transactions that ended below it is
    /// remembered that the high watermark has not passed their markers: no log tells that.
    void begin_again(Offset end);

    /// Where the oldest transaction begins that is open, or whose marker `high_watermark` has not
    /// passed. The high watermark never goes back.
    std::optional<Offset> first_unstable(Offset high_watermark);

    /// Forgets those that were silent for `expiration_ms`.
    void expire(Timestamp now, std::int64_t expiration_ms);

    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    const ProducerEntry* find(ProducerId producer) const;
    /// By producer id.
    std::vector<const ProducerEntry*> sorted() const;

private:
    struct OpenTransaction {
        Offset first_offset;
        ProducerId producer = kNoProducer;
    };
    struct UnreplicatedTransaction {
        Offset first_offset;
        Offset last_offset;
    };
    ProducerEntry& entry_of(ProducerId producer);
    void open_transaction(ProducerEntry& entry, Offset first_offset);
    void close_transaction(ProducerId producer);
    void forget_oldest();

    std::size_t producers_max_;
    std::unordered_map<ProducerId, ProducerEntry> entries_;
    /// By first offset.
    std::vector<OpenTransaction> open_;
    /// Ended, by their markers' offsets.
    std::vector<UnreplicatedTransaction> unreplicated_;
};

/// True once the producer was silent for `expiration_ms` and has no open transaction.
bool is_expired(const ProducerEntry& entry, Timestamp now, std::int64_t expiration_ms);

}  // namespace milena::storage

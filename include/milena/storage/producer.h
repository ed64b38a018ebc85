// SPDX-License-Identifier: Apache-2.0
// What a log knows of those who write to it with a producer id (KIP-98): their last batches, so
// that a batch sent twice is stored once, and their transactions, so that a reader of committed
// data can leave out what was aborted.
#pragma once

#include <cstdint>

#include "milena/base/ids.h"
#include "milena/env/clock.h"

namespace milena::storage {

inline constexpr std::int32_t kNoSequence = -1;

/// `steps` after `sequence`; INT32_MAX is followed by 0.
constexpr std::int32_t sequence_after(std::int32_t sequence, std::int32_t steps) {
    return sequence > INT32_MAX - steps ? steps - (INT32_MAX - sequence) - 1 : sequence + steps;
}
constexpr std::int32_t sequence_before(std::int32_t sequence, std::int32_t steps) {
    return sequence < steps ? INT32_MAX - (steps - sequence) + 1 : sequence - steps;
}

/// A producer's batch that lies in the log.
struct ProducedBatch {
    std::int32_t last_sequence = kNoSequence;
    std::int32_t offset_delta = 0;  ///< last offset - base offset
    Offset last_offset{-1};
    env::Timestamp timestamp{-1};  ///< the greatest in the batch

    Offset base_offset() const { return last_offset + -std::int64_t{offset_delta}; }
    std::int32_t first_sequence() const { return sequence_before(last_sequence, offset_delta); }
    bool operator==(const ProducedBatch&) const = default;
};

/// A producer as DescribeProducers names it.
struct ActiveProducer {
    ProducerId id = kNoProducer;
    std::int16_t epoch = -1;
    std::int32_t last_sequence = kNoSequence;
    env::Timestamp last_timestamp{-1};
    std::int32_t coordinator_epoch = -1;
    Offset transaction_start{-1};  ///< of the open transaction; −1 if none is open

    bool operator==(const ActiveProducer&) const = default;
};

/// Records of the producer from `first_offset` up to its next marker are void.
struct AbortedTransaction {
    ProducerId producer = kNoProducer;
    Offset first_offset;

    bool operator==(const AbortedTransaction&) const = default;
};

}  // namespace milena::storage

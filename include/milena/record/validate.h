// SPDX-License-Identifier: Apache-2.0
// What a leader checks of a batch that a client produced, before it gets an offset.
#pragma once

#include <string>
#include <vector>

#include "milena/record/records.h"

namespace milena::record {

/// The topic's settings that decide whether a batch is taken.
struct ProduceRules {
    TimestampType timestamp_type = TimestampType::create;
    std::int64_t timestamp_before_max_ms = INT64_MAX;
    std::int64_t timestamp_after_max_ms = 3'600'000;
    /// message.max.bytes, of the batch as received.
    std::size_t batch_bytes_max = 1'048'588;
    bool is_compacted = false;  ///< every record needs a key
    ReadLimits limits;
};

/// One record of a refused batch, as ProduceResponse v8+ names it (KIP-467).
struct RecordError {
    std::int32_t index = 0;
    std::string message;

    bool operator==(const RecordError&) const = default;
};

struct Refusal {
    ErrorCode code = ErrorCode::invalid_record;
    std::string why;
    std::vector<RecordError> records;
};

/// The one batch that a Produce request carries for a partition: INVALID_RECORD if there is none or more than one, or
/// its magic is not 2; CORRUPT_MESSAGE if lengths or CRC are wrong. The whole of `records` is then that batch.
std::expected<BatchView, Refusal> sole_batch(BytesView records);

/// Checks header, sizes, record framing, keys and timestamps of a batch whose framing sole_batch() has checked; the
/// base offset it carries is not looked at. All of it or nothing is taken.
std::expected<void, Refusal> validate_produced(BatchView batch, const ProduceRules& rules, Timestamp now);

}  // namespace milena::record

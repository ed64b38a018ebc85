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
    ReadLimits limits{};
};

/// One record of a refused batch, as ProduceResponse v8+ names it (KIP-467).
struct RecordError {
    std::int32_t index = 0;
    std::string message{};

    bool operator==(const RecordError&) const = default;
};

struct Refusal {
    ErrorCode code = ErrorCode::invalid_record;
    std::string why{};
    std::vector<RecordError> records{};
};

/// What is found out about a batch that is taken.
struct Accepted {
    /// What the header must carry: `now` with LogAppendTime, else the greatest of the records'
    /// timestamps, whatever the client has put there. stamp_timestamps() writes it, with the
    /// topic's timestamp type.
    Timestamp max_timestamp;
    /// False if the records expand to more than was allowed to be looked at: nothing is known of
    /// them then.
    bool is_inspected = true;
};

/// Most records that a Refusal names.
inline constexpr std::size_t kRecordErrorsMax = 1000;

/// The one batch that a Produce request carries for a partition, without a look into it:
/// INVALID_RECORD if there is no whole batch or more than one, or its magic is 0 or 1;
/// CORRUPT_MESSAGE if its length or magic can't be right. Bytes behind it that are not a whole
/// batch are left out, as in Kafka.
std::expected<BatchView, Refusal> sole_batch(BytesView records);

/// Checks size, CRC, header, record framing, keys and timestamps of the batch that sole_batch()
/// found. All of it or nothing is taken. The codes, in this order: INVALID_RECORD for a base offset
/// other than 0, MESSAGE_TOO_LARGE, CORRUPT_MESSAGE for the CRC, INVALID_RECORD for offset range,
/// count, control bit and sequence, UNSUPPORTED_COMPRESSION_TYPE, then what is wrong inside:
/// INVALID_RECORD for a damaged compressed block, framing or a record over the limit;
/// INVALID_TIMESTAMP if a timestamp is out of range, else INVALID_RECORD for offsets and keys, with
/// the records named. An uncompressed batch costs no memory; `scratch`, if given, saves most of
/// what a compressed one takes. Of a compressed one no more than about `expanded_bytes_max` are
/// decompressed: for a thread that has others to serve.
std::expected<Accepted, Refusal> validate_produced(BatchView batch, const ProduceRules& rules,
                                                   Timestamp now, Scratch* scratch = nullptr,
                                                   std::uint64_t expanded_bytes_max = UINT64_MAX);

}  // namespace milena::record

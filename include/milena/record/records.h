// SPDX-License-Identifier: Apache-2.0
// The records inside a batch, one after the other, and the builder that makes batches of our own
// (metadata, control and coordinator records).
//
// A record, lengths and deltas zig-zag varints: length, i8 attributes (0), timestamp delta, offset
// delta, key length (-1 null) and key, value length (-1 null) and value, header count, then for
// each header key length, key, value length (-1 null), value.
#pragma once

#include <functional>
#include <vector>

#include "milena/record/batch.h"

namespace milena::record {

class Scratch;  // compression.h

/// A key or value: null is not empty.
using NullableBytes = std::optional<BytesView>;

/// One record; views live as long as the call that handed it out.
struct RecordView {
    Offset offset;
    Timestamp timestamp;
    NullableBytes key;
    NullableBytes value;
    std::int32_t header_count = 0;
    /// The headers as they are encoded, header_count of them.
    BytesView headers;
};

/// Limits for looking into a batch that a peer made.
struct ReadLimits {
    /// Longest single record after decompression (max.decompressed.message.bytes).
    std::size_t record_bytes_max = 100 * 1024 * 1024;
};

/// Calls `each` for every record of `batch` in order, until it returns false. Compressed batches
/// are streamed through a window that is reused, never held whole. CORRUPT_MESSAGE where the
/// compressed block, a length or the count is wrong. `each` may be called for records before the
/// bad one. `scratch`, if given, saves the memory that a compressed batch would take anew.
Result<void> for_each_record(BatchView batch, const ReadLimits& limits,
                             const std::function<bool(const RecordView&)>& each,
                             Scratch* scratch = nullptr);

/// Builds one uncompressed batch in memory. Used for what the broker itself writes, never for what
/// clients send.
class BatchBuilder {
public:
    struct Options {
        Offset base_offset{};
        LeaderEpoch leader_epoch = kNoLeaderEpoch;
        Timestamp timestamp{};
        bool is_control = false;
        bool is_transactional = false;
        ProducerId producer_id = kNoProducer;
        std::int16_t producer_epoch = -1;
        std::int32_t base_sequence = -1;
    };
    explicit BatchBuilder(const Options& options);

    void append(NullableBytes key, NullableBytes value);
    std::int32_t count() const { return count_; }
    /// Bytes of the batch as it stands.
    std::size_t size() const { return bytes_.size(); }
    /// The batch, lengths and CRC filled in. At least one record must have been appended.
    std::vector<std::byte> finish() &&;

private:
    Options options_;
    std::vector<std::byte> bytes_;
    std::int32_t count_ = 0;
};

}  // namespace milena::record

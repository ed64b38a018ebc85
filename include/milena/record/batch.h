// SPDX-License-Identifier: Apache-2.0
// Record batch v2 (magic 2, KIP-98), the unit that is produced, stored, replicated and fetched. All
// integers big-endian:
//
//    0 i64 base offset            21 i16 attributes          43 i64 producer id, -1 none
//    8 i32 length after this      23 i32 last offset delta   51 i16 producer epoch, -1 none
//   12 i32 partition leader epoch 27 i64 base timestamp      53 i32 base sequence, -1 none
//   16 i8  magic 2                35 i64 max timestamp       57 i32 record count
//   17 u32 CRC-32C of 21..end                                61     records, one compressed block
//   if a codec is set
//
// attributes: bits 0-2 codec, 3 timestamp type, 4 transactional, 5 control, 6 delete horizon in
// base timestamp.
#pragma once

#include <cstdint>
#include <optional>

#include "milena/base/bytes.h"
#include "milena/base/ids.h"
#include "milena/base/result.h"
#include "milena/env/clock.h"

namespace milena::record {

inline constexpr std::size_t kBatchHeaderBytes = 61;
/// Bytes that must be at hand to know how long a batch is: base offset and length.
inline constexpr std::size_t kBatchLengthEnd = 12;
inline constexpr std::int8_t kMagic = 2;

enum class Codec : std::uint8_t { none = 0, gzip = 1, snappy = 2, lz4 = 3, zstd = 4 };
enum class TimestampType : std::uint8_t { create = 0, log_append = 1 };

using env::Timestamp;

/// One whole batch, seen through its header; the bytes belong to somebody else. Made by
/// first_batch(), which has checked that the bytes are one batch long; CRC and records are checked
/// by check_crc() and by the validators.
class BatchView {
public:
    explicit BatchView(BytesView bytes) : bytes_(bytes) {}

    BytesView bytes() const { return bytes_; }
    std::size_t size() const { return bytes_.size(); }
    Offset base_offset() const { return Offset(at<std::int64_t>(0)); }
    LeaderEpoch leader_epoch() const { return LeaderEpoch(at<std::int32_t>(12)); }
    std::int8_t magic() const { return at<std::int8_t>(16); }
    std::uint32_t crc() const { return at<std::uint32_t>(17); }
    std::int16_t attributes() const { return at<std::int16_t>(21); }
    std::int32_t last_offset_delta() const { return at<std::int32_t>(23); }
    Offset last_offset() const { return base_offset() + last_offset_delta(); }
    Offset next_offset() const { return last_offset().next(); }
    Timestamp base_timestamp() const { return Timestamp(at<std::int64_t>(27)); }
    Timestamp max_timestamp() const { return Timestamp(at<std::int64_t>(35)); }
    ProducerId producer_id() const { return ProducerId(at<std::int64_t>(43)); }
    std::int16_t producer_epoch() const { return at<std::int16_t>(51); }
    std::int32_t base_sequence() const { return at<std::int32_t>(53); }
    std::int32_t record_count() const { return at<std::int32_t>(57); }
    /// The records, compressed if codec() says so.
    BytesView payload() const { return bytes_.subspan(kBatchHeaderBytes); }

    /// The codec bits as they are; 5 to 7 mean nothing.
    std::uint8_t codec_bits() const { return static_cast<std::uint8_t>(attributes() & 0x07); }
    Codec codec() const { return static_cast<Codec>(codec_bits()); }
    TimestampType timestamp_type() const {
        return static_cast<TimestampType>(attributes() >> 3 & 1);
    }
    bool is_transactional() const { return (attributes() & 0x10) != 0; }
    bool is_control() const { return (attributes() & 0x20) != 0; }
    bool has_delete_horizon() const { return (attributes() & 0x40) != 0; }

    /// True if the CRC matches the bytes.
    bool check_crc() const;

private:
    template <class T>
    T at(std::size_t position) const {
        return load<T>(bytes_.data() + position);
    }
    BytesView bytes_;
};

/// The batch at the front of `bytes`. Nothing if the bytes end before it does (a reader asks for
/// more, or drops the rest); CORRUPT_MESSAGE if its length can't be right (shorter than a header)
/// or its magic is not 2.
Result<std::optional<BatchView>> first_batch(BytesView bytes);

/// The bytes, length field and all, that the batch at the front announces; nothing if fewer than
/// kBatchLengthEnd are there, CORRUPT_MESSAGE if the length is below a header's.
Result<std::optional<std::size_t>> announced_size(BytesView bytes);

/// Writes what the leader decides into a batch in place: base offset and leader epoch lie outside
/// the CRC.
void stamp(MutableBytes batch, Offset base_offset, LeaderEpoch leader_epoch);

/// Sets the timestamp type and the greatest timestamp. If that changes anything, attribute bits
/// without a meaning are cleared too and the CRC is made anew.
void stamp_timestamps(MutableBytes batch, TimestampType type, Timestamp max_timestamp);

/// Marks the batch as LogAppendTime `now` and gives it its new CRC.
void stamp_log_append_time(MutableBytes batch, Timestamp now);

}  // namespace milena::record

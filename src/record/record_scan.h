// SPDX-License-Identifier: Apache-2.0
// The one place that knows how a record is framed. The scan is a template over where the bytes come
// from: a ByteReader over bytes at hand, which sees keys and values, or a WindowReader over a
// compressed block, which passes over them. No allocation, no call through a pointer per record.
#pragma once

#include "milena/base/bytes.h"
#include "milena/record/records.h"

namespace milena::record {

/// What the frame of a record says. A negative length means null; the views are empty when the
/// source passes over them.
struct RecordFrame {
    std::int64_t timestamp_delta = 0;
    std::int32_t offset_delta = 0;
    std::int32_t key_length = -1;
    std::int32_t value_length = -1;
    std::int32_t header_count = 0;
    BytesView key;
    BytesView value;
    /// Bytes of the record before its first header.
    std::uint64_t headers_at = 0;
};

inline BytesView take_or_skip(ByteReader& in, std::size_t count) {
    return in.read_bytes(count);
}

namespace detail {

/// A length, negative for null, and the bytes it announces. `bytes_max` is what the record has: a
/// length beyond it is wrong however much may follow, and is not skipped.
template <class Source>
bool scan_nullable(Source& in, std::size_t bytes_max, std::int32_t& length, BytesView& bytes) {
    length = in.read_varint();
    if (length <= 0) return in.ok();
    if (static_cast<std::size_t>(length) > bytes_max) return false;
    bytes = take_or_skip(in, static_cast<std::size_t>(length));
    return in.ok();
}

template <class Source>
bool scan_headers(Source& in, std::size_t bytes_max, std::int32_t count) {
    // A header takes at least two bytes, so a count beyond the record's bytes can't be right.
    if (count < 0 || static_cast<std::size_t>(count) > bytes_max) return false;
    for (std::int32_t header = 0; header < count; ++header) {
        std::int32_t length = 0;
        BytesView bytes;
        if (!scan_nullable(in, bytes_max, length, bytes) || length < 0) return false;
        if (!scan_nullable(in, bytes_max, length, bytes)) return false;
    }
    return true;
}

}  // namespace detail

/// Reads the record body of `length` bytes at the front of `in`, whose fields must fill it exactly.
template <class Source>
bool scan_body(Source& in, std::size_t length, RecordFrame& frame) {
    const auto begin = in.position();
    take_or_skip(in, 1);  // attributes, without meaning so far
    frame.timestamp_delta = in.read_varlong();
    frame.offset_delta = in.read_varint();
    if (!detail::scan_nullable(in, length, frame.key_length, frame.key)) return false;
    if (!detail::scan_nullable(in, length, frame.value_length, frame.value)) return false;
    frame.header_count = in.read_varint();
    frame.headers_at = in.position() - begin;
    if (!in.ok() || !detail::scan_headers(in, length, frame.header_count)) return false;
    return in.position() - begin == length;
}

/// Time of a record: with LogAppendTime all records have the batch's, whatever the deltas say. Sums
/// wrap as Kafka's do.
inline Timestamp record_timestamp(const BatchView& batch, std::int64_t delta) {
    if (batch.timestamp_type() == TimestampType::log_append) return batch.max_timestamp();
    return Timestamp(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(batch.base_timestamp().value) +
                                  static_cast<std::uint64_t>(delta)));
}

}  // namespace milena::record

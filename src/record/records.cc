// SPDX-License-Identifier: Apache-2.0
// Walking the records of a batch, compressed or not, and building batches of our own.
#include "milena/record/records.h"

#include <fmt/format.h>

#include "milena/base/crc32c.h"
#include "milena/record/compression.h"
#include "record_scan.h"
#include "window_reader.h"

namespace milena::record {
namespace {

using Each = std::function<bool(const RecordView&)>;

std::unexpected<Error> bad_record(const BatchView& batch, std::int32_t index,
                                  std::string_view why) {
    return fail(ErrorCode::corrupt_message, fmt::format("record {} of the batch at offset {}: {}",
                                                        index, batch.base_offset(), why));
}

NullableBytes nullable(std::int32_t length, BytesView bytes) {
    return length < 0 ? NullableBytes() : NullableBytes(bytes);
}

/// The record whose body is `body`; false if it is malformed.
bool view_record(const BatchView& batch, BytesView body, RecordView& record) {
    ByteReader in(body);
    RecordFrame frame;
    if (!scan_body(in, body.size(), frame)) return false;
    record.offset = batch.base_offset() + frame.offset_delta;
    record.timestamp = record_timestamp(batch, frame.timestamp_delta);
    record.key = nullable(frame.key_length, frame.key);
    record.value = nullable(frame.value_length, frame.value);
    record.header_count = frame.header_count;
    record.headers = body.subspan(frame.headers_at);
    return true;
}

/// `Body` gives the next record's bytes from `in`, given their number.
template <class Source, class Body>
Result<bool> walk(const BatchView& batch, const ReadLimits& limits, const Each& each, Source& in,
                  Body body) {
    RecordView record;
    for (std::int32_t index = 0; index < batch.record_count(); ++index) {
        const std::int32_t length = in.read_varint();
        if (!in.ok() || length < 0) return bad_record(batch, index, "no length");
        if (static_cast<std::size_t>(length) > limits.record_bytes_max)
            return bad_record(batch, index, "too long");
        const BytesView bytes = body(in, static_cast<std::size_t>(length));
        if (!in.ok()) return bad_record(batch, index, "the batch ends inside it");
        if (!view_record(batch, bytes, record)) return bad_record(batch, index, "malformed");
        if (!each(record)) return false;
    }
    return true;
}

Result<void> walk_plain(const BatchView& batch, const ReadLimits& limits, const Each& each) {
    ByteReader in(batch.payload());
    const auto body = [](ByteReader& from, std::size_t length) { return from.read_bytes(length); };
    TRY(const bool whole, walk(batch, limits, each, in, body));
    if (whole && in.remaining() != 0)
        return bad_record(batch, batch.record_count(), "bytes after the last record");
    return ok();
}

Result<void> walk_compressed(const BatchView& batch, const ReadLimits& limits, const Each& each,
                             Scratch& scratch) {
    TRY(Decompressor* const decompressor, scratch.decompress(batch.codec_bits(), batch.payload()));
    WindowReader in(*decompressor, scratch.window());
    const auto body = [](WindowReader& from, std::size_t length) {
        return from.contiguous(length);
    };
    Result<bool> whole = walk(batch, limits, each, in, body);
    if (in.damage()) return std::unexpected(*in.damage());
    if (!whole) return std::unexpected(std::move(whole).error());
    if (!*whole) return ok();
    const bool at_end = in.at_end();
    if (in.damage()) return std::unexpected(*in.damage());
    if (!at_end) return bad_record(batch, batch.record_count(), "bytes after the last record");
    return ok();
}

}  // namespace

Result<void> for_each_record(BatchView batch, const ReadLimits& limits, const Each& each,
                             Scratch* scratch) {
    if (batch.codec_bits() == 0) return walk_plain(batch, limits, each);
    if (scratch != nullptr) return walk_compressed(batch, limits, each, *scratch);
    Scratch own;
    return walk_compressed(batch, limits, each, own);
}

}  // namespace milena::record

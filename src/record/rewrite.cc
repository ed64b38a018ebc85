// SPDX-License-Identifier: Apache-2.0
// Encodes the kept records one after the other, and puts the old header before them with what has
// changed of it.
#include "milena/record/rewrite.h"

#include <algorithm>

#include "milena/base/crc32c.h"

namespace milena::record {
namespace {

constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kCrcAt = 17;
constexpr std::size_t kAttributesAt = 21;
constexpr std::size_t kBaseTimestampAt = 27;
constexpr std::size_t kMaxTimestampAt = 35;
constexpr std::size_t kCountAt = 57;
constexpr std::int16_t kCodecBits = 0x07;
constexpr std::int16_t kHorizonBit = 0x40;
/// Those with a meaning, but for the horizon's.
constexpr std::int16_t kKeptBits = 0x3F;

std::size_t nullable_size(const NullableBytes& bytes) {
    return bytes ? varint_size(static_cast<std::int64_t>(bytes->size())) + bytes->size()
                 : varint_size(-1);
}

void write_nullable(ByteWriter& out, const NullableBytes& bytes) {
    out.write_varint(bytes ? static_cast<std::int64_t>(bytes->size()) : -1);
    if (bytes) out.write_bytes(*bytes);
}

struct NewHeader {
    std::int16_t attributes = 0;
    Timestamp base_timestamp;
    Timestamp max_timestamp;
    std::int32_t count = 0;
};

std::vector<std::byte> assemble(const BatchView& original, const NewHeader& header,
                                BytesView payload) {
    std::vector<std::byte> out;
    out.reserve(kBatchHeaderBytes + payload.size());
    const BytesView old = original.bytes().first(kBatchHeaderBytes);
    out.insert(out.end(), old.begin(), old.end());
    out.insert(out.end(), payload.begin(), payload.end());
    store(out.data() + kLengthAt, static_cast<std::int32_t>(out.size() - kBatchLengthEnd));
    store(out.data() + kAttributesAt, header.attributes);
    store(out.data() + kBaseTimestampAt, header.base_timestamp.value);
    store(out.data() + kMaxTimestampAt, header.max_timestamp.value);
    store(out.data() + kCountAt, header.count);
    store(out.data() + kCrcAt, crc32c(BytesView(out).subspan(kAttributesAt)));
    return out;
}

}  // namespace

std::optional<Timestamp> delete_horizon(const BatchView& batch) {
    return batch.has_delete_horizon() ? std::optional(batch.base_timestamp()) : std::nullopt;
}

BatchRewriter::BatchRewriter(BatchView original, std::optional<Timestamp> delete_horizon)
    : original_(original),
      base_timestamp_(delete_horizon.value_or(original.base_timestamp())),
      has_horizon_(delete_horizon || original.has_delete_horizon()) {}

void BatchRewriter::keep(const RecordView& record) {
    // As unsigned numbers: whatever the timestamps are, the sum is right again when it is read.
    const auto time_delta =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(record.timestamp.value) -
                                  static_cast<std::uint64_t>(base_timestamp_.value));
    const std::int64_t offset_delta = record.offset - original_.base_offset();
    const std::size_t body = 1 + varint_size(time_delta) + varint_size(offset_delta) +
                             nullable_size(record.key) + nullable_size(record.value) +
                             varint_size(record.header_count) + record.headers.size();
    const std::size_t begin = plain_.size();
    plain_.resize(begin + varint_size(static_cast<std::int64_t>(body)) + body);
    ByteWriter out(MutableBytes(plain_).subspan(begin));
    out.write_varint(static_cast<std::int64_t>(body));
    out.write<std::int8_t>(0);
    out.write_varint(time_delta);
    out.write_varint(offset_delta);
    write_nullable(out, record.key);
    write_nullable(out, record.value);
    out.write_varint(record.header_count);
    out.write_bytes(record.headers);
    max_timestamp_ = std::max(max_timestamp_, record.timestamp);
    ++count_;
}

Result<std::vector<std::byte>> BatchRewriter::finish() && {
    INVARIANT(count_ > 0, "a batch without records is an empty one");
    const auto bits = static_cast<std::int16_t>(original_.attributes() & kKeptBits);
    const NewHeader header{
        .attributes = static_cast<std::int16_t>(bits | (has_horizon_ ? kHorizonBit : 0)),
        .base_timestamp = base_timestamp_,
        .max_timestamp = original_.timestamp_type() == TimestampType::log_append
                             ? original_.max_timestamp()
                             : max_timestamp_,
        .count = count_};
    std::vector<std::byte> packed;
    if (original_.codec() != Codec::none) {
        TRY(packed, compress(original_.codec(), plain_));
    }
    const BytesView payload = original_.codec() == Codec::none ? BytesView(plain_) : packed;
    if (payload.size() > INT32_MAX - kBatchHeaderBytes)
        return fail(ErrorCode::message_too_large, "a batch is at most 2 GiB");
    return assemble(original_, header, payload);
}

std::vector<std::byte> empty_batch(BatchView original) {
    const auto bits = static_cast<std::int16_t>(original.attributes() & kKeptBits & ~kCodecBits);
    return assemble(original,
                    {.attributes = bits,
                     .base_timestamp = Timestamp(-1),
                     .max_timestamp = original.max_timestamp()},
                    {});
}

}  // namespace milena::record

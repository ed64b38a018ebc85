// SPDX-License-Identifier: Apache-2.0
// Builds the batches that the broker writes itself. Records share one timestamp, so every timestamp
// delta is 0.
#include "milena/base/crc32c.h"
#include "milena/record/records.h"

namespace milena::record {
namespace {

std::size_t nullable_size(const NullableBytes& bytes) {
    return bytes ? varint_size(static_cast<std::int64_t>(bytes->size())) + bytes->size()
                 : varint_size(-1);
}

void write_nullable(ByteWriter& out, const NullableBytes& bytes) {
    out.write_varint(bytes ? static_cast<std::int64_t>(bytes->size()) : -1);
    if (bytes) out.write_bytes(*bytes);
}

std::int16_t attributes_of(const BatchBuilder::Options& options) {
    return static_cast<std::int16_t>((options.is_transactional ? 0x10 : 0) |
                                     (options.is_control ? 0x20 : 0));
}

}  // namespace

BatchBuilder::BatchBuilder(const Options& options) : options_(options), bytes_(kBatchHeaderBytes) {}

void BatchBuilder::append(NullableBytes key, NullableBytes value) {
    constexpr std::size_t kFixedBytes = 3;  // attributes, timestamp delta 0, header count 0
    const std::size_t body =
        kFixedBytes + varint_size(count_) + nullable_size(key) + nullable_size(value);
    const std::size_t begin = bytes_.size();
    const std::size_t end = begin + varint_size(static_cast<std::int64_t>(body)) + body;
    INVARIANT(end <= INT32_MAX, "a batch of our own is too large for its length field");
    bytes_.resize(end);
    ByteWriter out(MutableBytes(bytes_).subspan(begin));
    out.write_varint(static_cast<std::int64_t>(body));
    out.write<std::int8_t>(0);
    out.write_varint(0);
    out.write_varint(count_);
    write_nullable(out, key);
    write_nullable(out, value);
    out.write_varint(0);
    ++count_;
}

std::vector<std::byte> BatchBuilder::finish() && {
    INVARIANT(count_ > 0, "a batch needs a record");
    ByteWriter out(MutableBytes(bytes_).first(kBatchHeaderBytes));
    out.write(options_.base_offset.value);
    out.write(static_cast<std::int32_t>(bytes_.size() - kBatchLengthEnd));
    out.write(options_.leader_epoch.value);
    out.write(kMagic);
    std::byte* const crc_at = bytes_.data() + out.position();
    out.write<std::uint32_t>(0);
    const std::size_t checksummed = out.position();
    out.write(attributes_of(options_));
    out.write(static_cast<std::int32_t>(count_ - 1));
    out.write(options_.timestamp.value);
    out.write(options_.timestamp.value);
    out.write(options_.producer_id.value);
    out.write(options_.producer_epoch);
    out.write(options_.base_sequence);
    out.write(count_);
    store(crc_at, crc32c(BytesView(bytes_).subspan(checksummed)));
    return std::move(bytes_);
}

}  // namespace milena::record

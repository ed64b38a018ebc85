// SPDX-License-Identifier: Apache-2.0
// Records to one batch.
#include "records/batch_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/base/crc32c.h"
#include "milena/record/compression.h"

namespace milena::cli {
namespace {

constexpr std::array<std::string_view, 5> kCodecNames{"none", "gzip", "snappy", "lz4", "zstd"};

using OptionalText = std::optional<std::string_view>;

std::size_t text_size(const OptionalText& text) {
    return text ? varint_size(static_cast<std::int64_t>(text->size())) + text->size()
                : varint_size(-1);
}

void write_text(ByteWriter& out, const OptionalText& text) {
    out.write_varint(text ? static_cast<std::int64_t>(text->size()) : -1);
    if (text) out.write_bytes(as_bytes(*text));
}

/// Writes everything of the header but the length, which its bytes tell, and the checksum, which
/// comes last.
struct BatchHead {
    record::Codec codec;
    std::int32_t count;
    std::int64_t base_timestamp;
    std::int64_t max_timestamp;
};

void write_head(std::vector<std::byte>& batch, const BatchHead& head) {
    ByteWriter out(batch);
    out.write<std::int64_t>(0);
    out.write(static_cast<std::int32_t>(batch.size() - record::kBatchLengthEnd));
    out.write<std::int32_t>(-1);
    out.write(record::kMagic);
    std::byte* const crc_at = batch.data() + out.position();
    out.write<std::uint32_t>(0);
    const std::size_t checksummed = out.position();
    out.write(static_cast<std::int16_t>(head.codec));
    out.write(head.count - 1);
    out.write(head.base_timestamp);
    out.write(head.max_timestamp);
    out.write<std::int64_t>(-1);
    out.write<std::int16_t>(-1);
    out.write<std::int32_t>(-1);
    out.write(head.count);
    store(crc_at, crc32c(BytesView(batch).subspan(checksummed)));
}

}  // namespace

Result<record::Codec> parse_codec(std::string_view name) {
    const auto found = std::ranges::find(kCodecNames, name);
    if (found == kCodecNames.end()) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("Invalid value {} for configuration compression.type: String must "
                                "be one of: none, gzip, snappy, lz4, zstd",
                                name));
    }
    return static_cast<record::Codec>(found - kCodecNames.begin());
}

std::size_t BatchWriter::body_size(const RecordParts& record) const {
    const std::int64_t delta = count_ == 0 ? 0 : record.timestamp - base_timestamp_;
    std::size_t body = 1 + varint_size(delta) + varint_size(count_) + text_size(record.key) +
                       text_size(record.value) +
                       varint_size(static_cast<std::int64_t>(record.headers.size()));
    for (const Header& header : record.headers)
        body += text_size(header.key) + text_size(header.value);
    return body;
}

std::size_t BatchWriter::size_of(const RecordParts& record) const {
    const std::size_t body = body_size(record);
    return varint_size(static_cast<std::int64_t>(body)) + body;
}

void BatchWriter::append(const RecordParts& record) {
    if (count_ == 0) {
        base_timestamp_ = max_timestamp_ = record.timestamp;
        bytes_.resize(record::kBatchHeaderBytes);
    }
    max_timestamp_ = std::max(max_timestamp_, record.timestamp);
    const std::size_t body = body_size(record);
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + varint_size(static_cast<std::int64_t>(body)) + body);
    ByteWriter out(MutableBytes(bytes_).subspan(begin));
    out.write_varint(static_cast<std::int64_t>(body));
    out.write<std::int8_t>(0);
    out.write_varint(record.timestamp - base_timestamp_);
    out.write_varint(count_);
    write_text(out, record.key);
    write_text(out, record.value);
    out.write_varint(static_cast<std::int64_t>(record.headers.size()));
    for (const Header& header : record.headers) {
        write_text(out, header.key);
        write_text(out, header.value);
    }
    ++count_;
}

Result<std::vector<std::byte>> BatchWriter::finish(record::Codec codec) {
    INVARIANT(count_ > 0, "a batch needs a record");
    std::vector<std::byte> batch = std::exchange(bytes_, {});
    const BatchHead head{codec, std::exchange(count_, 0), base_timestamp_, max_timestamp_};
    if (codec != record::Codec::none) {
        TRY(const auto compressed,
            record::compress(codec, BytesView(batch).subspan(record::kBatchHeaderBytes)));
        batch.resize(record::kBatchHeaderBytes + compressed.size());
        std::ranges::copy(compressed, batch.begin() + record::kBatchHeaderBytes);
    }
    write_head(batch, head);
    return batch;
}

}  // namespace milena::cli

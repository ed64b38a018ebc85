// SPDX-License-Identifier: Apache-2.0
// A batch in another codec, for topics that store all of theirs in one (compression.type).
#include <fmt/format.h>

#include "milena/base/crc32c.h"
#include "milena/record/compression.h"

namespace milena::record {
namespace {

constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kCrcAt = 17;
constexpr std::size_t kAttributesAt = 21;
/// Timestamp type, transactional, control: what a batch keeps when it is wrapped anew.
constexpr std::int16_t kKeptAttributes = 0x38;
constexpr std::size_t kStepBytes = 64 * 1024;

Result<std::vector<std::byte>> plain_payload(BatchView batch, std::size_t bytes_max,
                                             Scratch& scratch) {
    TRY(Decompressor* const decompressor, scratch.decompress(batch.codec_bits(), batch.payload()));
    std::vector<std::byte> plain;
    for (;;) {
        const std::size_t begin = plain.size();
        plain.resize(begin + kStepBytes);
        TRY(const std::size_t got, decompressor->read(MutableBytes(plain).subspan(begin)));
        plain.resize(begin + got);
        if (plain.size() > bytes_max) {
            return fail(
                ErrorCode::message_too_large,
                fmt::format("records of more than {} bytes are not compressed anew", bytes_max));
        }
        if (got < kStepBytes) return plain;
    }
}

}  // namespace

Result<std::vector<std::byte>> recompress(BatchView batch, const Recompression& wanted,
                                          Scratch& scratch) {
    TRY(const std::vector<std::byte> plain, plain_payload(batch, wanted.plain_bytes_max, scratch));
    TRY(const std::vector<std::byte> payload, compress(wanted.codec, plain, wanted.levels));
    std::vector<std::byte> out(batch.bytes().begin(), batch.bytes().begin() + kBatchHeaderBytes);
    out.insert(out.end(), payload.begin(), payload.end());
    if (out.size() > INT32_MAX)
        return fail(ErrorCode::message_too_large, "a batch is at most 2 GiB");

    store(out.data() + kLengthAt, static_cast<std::int32_t>(out.size() - kBatchLengthEnd));
    store(out.data() + kAttributesAt,
          static_cast<std::int16_t>((batch.attributes() & kKeptAttributes) |
                                    static_cast<std::int16_t>(wanted.codec)));
    store(out.data() + kCrcAt, crc32c(BytesView(out).subspan(kAttributesAt)));
    return out;
}

}  // namespace milena::record

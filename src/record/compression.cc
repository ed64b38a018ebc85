// SPDX-License-Identifier: Apache-2.0
// The table of codecs, and the codec that does nothing.
#include "milena/record/compression.h"

#include <fmt/format.h>

#include "codecs.h"

namespace milena::record {
namespace {

class PlainDecompressor final : public Decompressor {
public:
    void reset(BytesView compressed) override { left_ = compressed; }
    Result<std::size_t> read(MutableBytes into) override {
        const std::size_t count = std::min(into.size(), left_.size());
        if (count > 0) std::memcpy(into.data(), left_.data(), count);
        left_ = left_.subspan(count);
        return count;
    }

private:
    BytesView left_;
};

Result<std::unique_ptr<Decompressor>> make_plain_decompressor() {
    return std::make_unique<PlainDecompressor>();
}

using Compressed = Result<std::vector<std::byte>>;

struct CodecRow {
    Result<std::unique_ptr<Decompressor>> (*make_decompressor)();
    Compressed (*compress)(BytesView plain, const CompressionLevels& levels);
};

/// In the order of Codec's numbers.
constexpr std::array kCodecTable{
    CodecRow{make_plain_decompressor,
             [](BytesView plain, const CompressionLevels&) {
                 return Compressed(std::vector<std::byte>(plain.begin(), plain.end()));
             }},
    CodecRow{make_gzip_decompressor,
             [](BytesView plain, const CompressionLevels& levels) {
                 return gzip_compress(plain, levels.gzip);
             }},
    CodecRow{make_snappy_decompressor,
             [](BytesView plain, const CompressionLevels&) { return snappy_compress(plain); }},
    CodecRow{make_lz4_decompressor,
             [](BytesView plain, const CompressionLevels& levels) {
                 return lz4_compress(plain, levels.lz4);
             }},
    CodecRow{make_zstd_decompressor, [](BytesView plain, const CompressionLevels& levels) {
                 return zstd_compress(plain, levels.zstd);
             }}};

}  // namespace

Result<std::unique_ptr<Decompressor>> make_decompressor(std::uint8_t codec_bits) {
    if (codec_bits >= kCodecTable.size()) {
        return fail(ErrorCode::unsupported_compression_type,
                    fmt::format("compression type {}", codec_bits));
    }
    return kCodecTable[codec_bits].make_decompressor();
}

Result<std::vector<std::byte>> compress(Codec codec, BytesView plain,
                                        const CompressionLevels& levels) {
    const auto row = static_cast<std::size_t>(codec);
    INVARIANT(row < kCodecTable.size(), "no such codec");
    return kCodecTable[row].compress(plain, levels);
}

Scratch::Scratch() = default;
Scratch::~Scratch() = default;

Result<Decompressor*> Scratch::decompress(std::uint8_t codec_bits, BytesView compressed) {
    if (codec_bits >= decompressors_.size()) {
        return fail(ErrorCode::unsupported_compression_type,
                    fmt::format("compression type {}", codec_bits));
    }
    // One large record, or one block with a large window, must not stay paid for.
    if (window_.size() > kWindowBytesKept) {
        window_.clear();
        window_.shrink_to_fit();
    }
    auto& decompressor = decompressors_[codec_bits];
    if (decompressor && decompressor->held_bytes() > kDecompressorBytesKept) decompressor.reset();
    if (!decompressor) {
        TRY(decompressor, make_decompressor(codec_bits));
    }
    decompressor->reset(compressed);
    return decompressor.get();
}

}  // namespace milena::record

// SPDX-License-Identifier: Apache-2.0
// The codecs of record batches: gzip (RFC 1952), snappy (xerial framing, and raw when reading), lz4
// (frames), zstd.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "milena/record/batch.h"

namespace milena::record {

/// Gives the decompressed bytes of one block front to back. Holds a window of bounded size (128
/// KiB, zstd's and xerial's own block on top), whatever the block expands to. Reused: reset()
/// starts on another block without new memory.
class Decompressor {
public:
    virtual ~Decompressor() = default;
    virtual void reset(BytesView compressed) = 0;
    /// Fills `into` as far as the block goes: fewer bytes only at its end, 0 after it.
    /// CORRUPT_MESSAGE if it is damaged.
    virtual Result<std::size_t> read(MutableBytes into) = 0;
    /// Memory it keeps between blocks.
    virtual std::size_t held_bytes() const { return 0; }
};

/// UNSUPPORTED_COMPRESSION_TYPE for codec bits 5 to 7. Codec::none gives the bytes as they are.
Result<std::unique_ptr<Decompressor>> make_decompressor(std::uint8_t codec_bits);

/// What reading compressed batches needs again and again, kept between them: one decompressor a
/// codec, made when first needed, and the window that records are streamed through. Whoever reads
/// many batches owns one; not thread-safe.
class Scratch {
public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    /// A decompressor that starts on `compressed`; valid until the next call.
    Result<Decompressor*> decompress(std::uint8_t codec_bits, BytesView compressed);
    std::vector<std::byte>& window() { return window_; }

private:
    static constexpr std::size_t kCodecs = 5;
    static constexpr std::size_t kWindowBytesKept = 128 * 1024;
    static constexpr std::size_t kDecompressorBytesKept = 1024 * 1024;
    std::array<std::unique_ptr<Decompressor>, kCodecs> decompressors_;
    std::vector<std::byte> window_;
};

/// How hard a codec tries, in the numbers of Kafka's compression.*.level; snappy and none have no
/// levels.
struct CompressionLevels {
    static constexpr int kLz4Default = 9;

    int gzip = -1;  ///< 1 to 9; −1 is zlib's default
    /// 1 to 17. The default is, as in Kafka, the fast compressor, which has no levels; all others
    /// are those of the high compressor, of which the library knows 12.
    int lz4 = kLz4Default;
    int zstd = 3;  ///< −131072 to 22

    bool operator==(const CompressionLevels&) const = default;
};

/// `plain` as one block of `codec`.
Result<std::vector<std::byte>> compress(Codec codec, BytesView plain,
                                        const CompressionLevels& levels = {});

/// How a batch is to be compressed anew.
struct Recompression {
    Codec codec = Codec::none;
    CompressionLevels levels{};
    std::size_t plain_bytes_max = SIZE_MAX;
};
/// `batch`, which validate_produced() has accepted, with its records in `wanted.codec`: length,
/// codec bits and CRC are new, the rest is as it was. MESSAGE_TOO_LARGE if the records take more
/// than `wanted.plain_bytes_max` when they are not compressed.
Result<std::vector<std::byte>> recompress(BatchView batch, const Recompression& wanted,
                                          Scratch& scratch);

}  // namespace milena::record

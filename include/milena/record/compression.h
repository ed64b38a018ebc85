// SPDX-License-Identifier: Apache-2.0
// The codecs of record batches: gzip (RFC 1952), snappy (xerial framing, and raw when reading), lz4 (frames), zstd.
#pragma once

#include <memory>
#include <vector>

#include "milena/record/batch.h"

namespace milena::record {

/// Gives the decompressed bytes of one block front to back. Holds a window of bounded size (128 KiB, zstd's and xerial's
/// own block on top), whatever the block expands to. Reused: reset() starts on another block without new memory.
class Decompressor {
public:
    virtual ~Decompressor() = default;
    virtual void reset(BytesView compressed) = 0;
    /// Fills `into` as far as the block goes: fewer bytes only at its end, 0 after it. CORRUPT_MESSAGE if it is damaged.
    virtual Result<std::size_t> read(MutableBytes into) = 0;
};

/// UNSUPPORTED_COMPRESSION_TYPE for codec bits 5 to 7. Codec::none gives the bytes as they are.
Result<std::unique_ptr<Decompressor>> make_decompressor(std::uint8_t codec_bits);

/// `plain` as one block of `codec`, at the codec's default level.
Result<std::vector<std::byte>> compress(Codec codec, BytesView plain);

}  // namespace milena::record

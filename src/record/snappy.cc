// SPDX-License-Identifier: Apache-2.0
// snappy, as the field frames it (the form of the "xerial" Java library) and, when reading, one raw
// block without frame:
//
//   82 53 4e 41 50 50 59 00, i32 version 1, i32 least compatible version 1, then blocks: i32
//   length, that many bytes
#include <snappy.h>

#include <fmt/format.h>

#include "codecs.h"

namespace milena::record {
namespace {

constexpr std::array<std::uint8_t, 8> kFrameMagic{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
constexpr std::size_t kFrameHeaderBytes = 16;
/// What the Java library cuts its input into.
constexpr std::size_t kBlockBytes = 32 * 1024;
/// Snappy's densest element makes 64 bytes of 3, so a block that promises more than this lies.
constexpr std::size_t kExpansionMax = 22;

const char* snappy_bytes(BytesView bytes) {
    return reinterpret_cast<const char*>(bytes.data());
}

class SnappyDecompressor final : public Decompressor {
public:
    void reset(BytesView compressed) override {
        is_framed_ = compressed.size() >= kFrameMagic.size() &&
                     std::memcmp(compressed.data(), kFrameMagic.data(), kFrameMagic.size()) == 0;
        is_header_whole_ = !is_framed_ || compressed.size() >= kFrameHeaderBytes;
        left_ = is_framed_ && is_header_whole_ ? compressed.subspan(kFrameHeaderBytes) : compressed;
        block_at_ = 0;
        block_end_ = 0;
    }

    Result<std::size_t> read(MutableBytes into) override {
        if (!is_header_whole_) return damaged("snappy", "it ends too early");
        std::size_t written = 0;
        while (written < into.size()) {
            if (block_at_ == block_end_) {
                // A rest too short for a block's length means nothing.
                if (left_.size() < (is_framed_ ? sizeof(std::int32_t) : 1)) break;
                TRY_VOID(next_block());
            }
            const std::size_t count = std::min(into.size() - written, block_end_ - block_at_);
            if (count > 0) std::memcpy(into.data() + written, block_.data() + block_at_, count);
            block_at_ += count;
            written += count;
        }
        return written;
    }

    std::size_t held_bytes() const override { return block_.size(); }

private:
    Result<BytesView> take_block() {
        if (!is_framed_) return std::exchange(left_, {});
        ByteReader in(left_);
        const auto length = in.read<std::int32_t>();
        if (!in.ok() || length < 0) return damaged("snappy", "no block length");
        const BytesView block = in.read_bytes(static_cast<std::size_t>(length));
        if (!in.ok()) return damaged("snappy", "it ends too early");
        left_ = left_.subspan(in.position());
        return block;
    }

    Result<void> next_block() {
        TRY(const BytesView compressed, take_block());
        std::size_t plain = 0;
        if (!snappy::GetUncompressedLength(snappy_bytes(compressed), compressed.size(), &plain)) {
            return damaged("snappy", "no uncompressed length");
        }
        if (plain > compressed.size() * kExpansionMax)
            return damaged("snappy", "it promises too much");
        if (block_.size() < plain) block_.resize(plain);
        if (!snappy::RawUncompress(snappy_bytes(compressed), compressed.size(),
                                   reinterpret_cast<char*>(block_.data()))) {
            return damaged("snappy", "malformed");
        }
        block_at_ = 0;
        block_end_ = plain;
        return ok();
    }

    BytesView left_;
    bool is_framed_ = false;
    bool is_header_whole_ = true;
    std::vector<std::byte> block_;
    std::size_t block_at_ = 0;
    std::size_t block_end_ = 0;
};

}  // namespace

Result<std::unique_ptr<Decompressor>> make_snappy_decompressor() {
    return std::make_unique<SnappyDecompressor>();
}

Result<std::vector<std::byte>> snappy_compress(BytesView plain) {
    std::vector<std::byte> out(kFrameHeaderBytes);
    std::memcpy(out.data(), kFrameMagic.data(), kFrameMagic.size());
    store<std::int32_t>(out.data() + 8, 1);
    store<std::int32_t>(out.data() + 12, 1);
    while (!plain.empty()) {
        const BytesView block = plain.first(std::min(plain.size(), kBlockBytes));
        plain = plain.subspan(block.size());
        const std::size_t begin = out.size();
        out.resize(begin + sizeof(std::int32_t) + snappy::MaxCompressedLength(block.size()));
        std::size_t size = 0;
        snappy::RawCompress(snappy_bytes(block), block.size(),
                            reinterpret_cast<char*>(out.data() + begin + sizeof(std::int32_t)),
                            &size);
        store(out.data() + begin, static_cast<std::int32_t>(size));
        out.resize(begin + sizeof(std::int32_t) + size);
    }
    return out;
}

}  // namespace milena::record

// SPDX-License-Identifier: Apache-2.0
// One LZ4 frame; what follows it is not looked at, as Kafka's own readers do. Blocks that refer to
// earlier ones are refused: Kafka's own readers can't read them.
#include <lz4frame.h>

#include <fmt/format.h>

#include "codecs.h"

namespace milena::record {
namespace {

struct ContextDeleter {
    void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
};

class Lz4Decompressor final : public Decompressor {
public:
    explicit Lz4Decompressor(LZ4F_dctx* context) : context_(context) {}

    void reset(BytesView compressed) override {
        LZ4F_resetDecompressionContext(context_.get());
        left_ = compressed;
        is_finished_ = compressed.empty();
        is_linked_ = compressed.size() > kBlockSizeAt &&
                     (compressed[kFlagsAt] & kIndependentBit) == std::byte{0};
        if (compressed.size() > kBlockSizeAt) {
            const auto size_id = static_cast<unsigned>(compressed[kBlockSizeAt]) >> 4 & 7;
            block_bytes_ = std::max<std::size_t>(block_bytes_, std::size_t{1} << (2 * size_id + 8));
        }
    }

    Result<std::size_t> read(MutableBytes into) override {
        if (is_linked_) return damaged("lz4", "its blocks are not independent");
        std::size_t written = 0;
        while (written < into.size() && !is_finished_) {
            std::size_t out = into.size() - written;
            std::size_t in = left_.size();
            const std::size_t status = LZ4F_decompress(context_.get(), into.data() + written, &out,
                                                       left_.data(), &in, nullptr);
            if (LZ4F_isError(status) != 0) return damaged("lz4", LZ4F_getErrorName(status));
            left_ = left_.subspan(in);
            written += out;
            is_finished_ = status == 0;
            if (!is_finished_ && in == 0 && out == 0) return damaged("lz4", "it ends too early");
        }
        return written;
    }

    std::size_t held_bytes() const override { return 2 * block_bytes_; }

private:
    static constexpr std::size_t kFlagsAt = 4;
    static constexpr std::size_t kBlockSizeAt = 5;
    static constexpr auto kIndependentBit = std::byte{0x20};

    std::unique_ptr<LZ4F_dctx, ContextDeleter> context_;
    BytesView left_;
    bool is_linked_ = false;
    bool is_finished_ = true;
    /// The largest block size that a frame has announced, which the library keeps memory for.
    std::size_t block_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<Decompressor>> make_lz4_decompressor() {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0) {
        return codec_failed("lz4", "no memory");
    }
    return std::make_unique<Lz4Decompressor>(context);
}

Result<std::vector<std::byte>> lz4_compress(BytesView plain, int level) {
    /// Below it the library takes its fast compressor.
    constexpr int kHighMin = 3;
    LZ4F_preferences_t preferences{};
    if (level != CompressionLevels::kLz4Default)
        preferences.compressionLevel = std::clamp(level, kHighMin, LZ4F_compressionLevel_max());
    preferences.frameInfo.blockSizeID = LZ4F_max64KB;
    preferences.frameInfo.blockMode = LZ4F_blockIndependent;
    std::vector<std::byte> out(LZ4F_compressFrameBound(plain.size(), &preferences));
    const std::size_t size =
        LZ4F_compressFrame(out.data(), out.size(), plain.data(), plain.size(), &preferences);
    if (LZ4F_isError(size) != 0) return codec_failed("lz4", LZ4F_getErrorName(size));
    out.resize(size);
    return out;
}

}  // namespace milena::record

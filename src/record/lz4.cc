// SPDX-License-Identifier: Apache-2.0
// LZ4 frames. Blocks that refer to earlier ones are refused: Kafka's own readers can't read them.
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
        inside_frame_ = false;
    }

    Result<std::size_t> read(MutableBytes into) override {
        std::size_t written = 0;
        while (written < into.size() && (!left_.empty() || inside_frame_)) {
            if (!inside_frame_ && has_linked_blocks())
                return damaged("lz4", "its blocks are not independent");
            std::size_t out = into.size() - written;
            std::size_t in = left_.size();
            const std::size_t status = LZ4F_decompress(context_.get(), into.data() + written, &out,
                                                       left_.data(), &in, nullptr);
            if (LZ4F_isError(status) != 0) return damaged("lz4", LZ4F_getErrorName(status));
            left_ = left_.subspan(in);
            written += out;
            inside_frame_ = status != 0;
            if (inside_frame_ && in == 0 && out == 0) return damaged("lz4", "it ends too early");
        }
        return written;
    }

    std::size_t held_bytes() const override { return kHeldBytes; }

private:
    // A frame says how large its blocks are, at most 4 MiB; the library keeps what the largest
    // needed.
    static constexpr std::size_t kHeldBytes = 256 * 1024;

    bool has_linked_blocks() const {
        constexpr std::size_t kFlagsAt = 4;
        constexpr auto kIndependentBit = std::byte{0x20};
        return left_.size() > kFlagsAt && (left_[kFlagsAt] & kIndependentBit) == std::byte{0};
    }

    std::unique_ptr<LZ4F_dctx, ContextDeleter> context_;
    BytesView left_;
    bool inside_frame_ = false;
};

}  // namespace

Result<std::unique_ptr<Decompressor>> make_lz4_decompressor() {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0) {
        return codec_failed("lz4", "no memory");
    }
    return std::make_unique<Lz4Decompressor>(context);
}

Result<std::vector<std::byte>> lz4_compress(BytesView plain) {
    LZ4F_preferences_t preferences{};
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

// SPDX-License-Identifier: Apache-2.0
// zstd (RFC 8878), frames one after another as one stream. The window may be as large as the
// codec's highest level makes it (128 MiB); memory for it is touched only as far as a block really
// expands.
#include <zstd.h>

#include <fmt/format.h>

#include "codecs.h"

namespace milena::record {
namespace {

struct ContextDeleter {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdDecompressor final : public Decompressor {
public:
    explicit ZstdDecompressor(ZSTD_DCtx* context) : context_(context) {}

    void reset(BytesView compressed) override {
        ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
        left_ = compressed;
        inside_frame_ = false;
    }

    Result<std::size_t> read(MutableBytes into) override {
        ZSTD_outBuffer out{into.data(), into.size(), 0};
        while (out.pos < out.size && (!left_.empty() || inside_frame_)) {
            ZSTD_inBuffer in{left_.data(), left_.size(), 0};
            const std::size_t before = out.pos;
            const std::size_t status = ZSTD_decompressStream(context_.get(), &out, &in);
            left_ = left_.subspan(in.pos);
            if (ZSTD_isError(status) != 0) return damaged("zstd", ZSTD_getErrorName(status));
            inside_frame_ = status != 0;
            if (inside_frame_ && left_.empty() && out.pos == before)
                return damaged("zstd", "it ends too early");
        }
        return out.pos;
    }

    std::size_t held_bytes() const override { return ZSTD_sizeof_DCtx(context_.get()); }

private:
    std::unique_ptr<ZSTD_DCtx, ContextDeleter> context_;
    BytesView left_;
    /// More output or input belongs to the frame that was begun.
    bool inside_frame_ = false;
};

}  // namespace

Result<std::unique_ptr<Decompressor>> make_zstd_decompressor() {
    ZSTD_DCtx* const context = ZSTD_createDCtx();
    if (context == nullptr) return codec_failed("zstd", "no memory");
    return std::make_unique<ZstdDecompressor>(context);
}

Result<std::vector<std::byte>> zstd_compress(BytesView plain, int level) {
    std::vector<std::byte> out(ZSTD_compressBound(plain.size()));
    const std::size_t size =
        ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), level);
    if (ZSTD_isError(size) != 0) return codec_failed("zstd", ZSTD_getErrorName(size));
    out.resize(size);
    return out;
}

}  // namespace milena::record

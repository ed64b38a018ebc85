// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952), members one after another as one stream.
#include <zlib.h>

#include <fmt/format.h>

#include "codecs.h"

namespace milena::record {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;  // zlib's way to ask for gzip framing and nothing else

Bytef* zlib_bytes(const std::byte* bytes) {
    return const_cast<Bytef*>(
        reinterpret_cast<const Bytef*>(bytes));  // zlib does not write to its input
}

bool begins_member(BytesView bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

class GzipDecompressor final : public Decompressor {
public:
    ~GzipDecompressor() override { inflateEnd(&stream_); }

    Result<void> start() {
        if (inflateInit2(&stream_, kGzipOnly) != Z_OK) return codec_failed("gzip", "no memory");
        return ok();
    }

    void reset(BytesView compressed) override {
        inflateReset(&stream_);
        left_ = compressed;
        finished_ = false;
    }

    Result<std::size_t> read(MutableBytes into) override {
        std::size_t written = 0;
        while (written < into.size() && !finished_) {
            TRY(const std::size_t more, step(into.subspan(written)));
            written += more;
        }
        return written;
    }

    std::size_t held_bytes() const override { return kHeldBytes; }

private:
    static constexpr std::size_t kHeldBytes = 44 * 1024;  // its window of 32 KiB and its tables

    Result<std::size_t> step(MutableBytes into) {
        constexpr std::size_t kStepMax = 1U << 30;
        const auto in = static_cast<uInt>(std::min(left_.size(), kStepMax));
        const auto out = static_cast<uInt>(std::min(into.size(), kStepMax));
        stream_.next_in = zlib_bytes(left_.data());
        stream_.avail_in = in;
        stream_.next_out = zlib_bytes(into.data());
        stream_.avail_out = out;
        const int status = inflate(&stream_, Z_NO_FLUSH);
        left_ = left_.subspan(in - stream_.avail_in);
        if (status == Z_STREAM_END) {
            // Another member, or bytes that are none and, as in Java, mean nothing.
            finished_ = !begins_member(left_);
            if (!finished_) inflateReset(&stream_);
        } else if (status != Z_OK) {
            return damaged("gzip", status == Z_BUF_ERROR ? "it ends too early" : zError(status));
        }
        return out - stream_.avail_out;
    }

    z_stream stream_{};
    BytesView left_;
    bool finished_ = true;
};

}  // namespace

Result<std::unique_ptr<Decompressor>> make_gzip_decompressor() {
    auto decompressor = std::make_unique<GzipDecompressor>();
    TRY_VOID(decompressor->start());
    return decompressor;
}

Result<std::vector<std::byte>> gzip_compress(BytesView plain, int level) {
    static_assert(Z_DEFAULT_COMPRESSION == -1, "zlib's default is Kafka's number for it");
    z_stream stream{};
    constexpr int kMemLevel = 8;
    if (deflateInit2(&stream, level, Z_DEFLATED, kGzipOnly, kMemLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        return codec_failed("gzip", "no memory");
    }
    INVARIANT(plain.size() <= INT32_MAX, "one batch is at most 2 GiB");
    std::vector<std::byte> out(deflateBound(&stream, plain.size()));
    stream.next_in = zlib_bytes(plain.data());
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = zlib_bytes(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = deflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    if (status != Z_STREAM_END) return codec_failed("gzip", "output larger than its bound");
    return out;
}

}  // namespace milena::record

// SPDX-License-Identifier: Apache-2.0
// Reads numbers out of a compressed block through a window, so that what the block expands to is
// never held whole. A sibling of ByteReader: a malformed number, a damaged block or its end before
// its time fails the reader for good.
#pragma once

#include <type_traits>
#include <vector>

#include "milena/record/compression.h"

namespace milena::record {

class WindowReader {
public:
    static constexpr std::size_t kWindowBytes = 128 * 1024;

    /// `window` is memory to use, grown to kWindowBytes if it is smaller. More than about
    /// `bytes_max` decompressed bytes fail the reader.
    WindowReader(Decompressor& from, std::vector<std::byte>& window,
                 std::uint64_t bytes_max = UINT64_MAX);

    bool ok() const { return !failed_; }
    /// Why the block could not be decompressed; nothing if it could, and only its content is wrong.
    const std::optional<Error>& damage() const { return damage_; }
    /// The block goes on behind `bytes_max`.
    bool is_over_limit() const { return is_over_limit_; }
    /// Bytes consumed of the decompressed block.
    std::uint64_t position() const { return before_window_ + at_; }

    std::int32_t read_varint() {
        return number([](ByteReader& in) { return in.read_varint(); });
    }
    std::int64_t read_varlong() {
        return number([](ByteReader& in) { return in.read_varlong(); });
    }
    void skip(std::size_t count);
    /// The next `count` bytes side by side, for which the window grows if it must; valid until the
    /// next read.
    BytesView contiguous(std::size_t count);
    /// Nothing is left. A block that is damaged behind its last record fails the reader.
    bool at_end();

private:
    static constexpr std::size_t kNumberBytesMax = 10;

    template <class Read>
    std::invoke_result_t<Read, ByteReader&> number(Read read) {
        if (end_ - at_ < kNumberBytesMax) [[unlikely]]
            fill(kNumberBytesMax);
        ByteReader in(BytesView(window_).subspan(at_, end_ - at_));
        const auto value = read(in);
        if (in.ok()) {
            at_ += in.position();
        } else {
            fail();
        }
        return value;
    }
    /// Tries to have `count` bytes in the window, which is at least that large.
    void fill(std::size_t count);
    void fail();

    Decompressor& from_;
    std::vector<std::byte>& window_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    std::uint64_t before_window_ = 0;
    bool drained_ = false;
    bool failed_ = false;
    bool is_over_limit_ = false;
    const std::uint64_t bytes_max_;
    std::optional<Error> damage_;
};

inline BytesView take_or_skip(WindowReader& in, std::size_t count) {
    in.skip(count);
    return {};
}

}  // namespace milena::record

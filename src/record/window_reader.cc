// SPDX-License-Identifier: Apache-2.0
// Filling the window: what was not consumed moves to the front, the decompressor writes behind it.
#include "window_reader.h"

namespace milena::record {

WindowReader::WindowReader(Decompressor& from, std::vector<std::byte>& window,
                           std::uint64_t bytes_max)
    : from_(from), window_(window), bytes_max_(bytes_max) {
    if (window_.size() < kWindowBytes) window_.resize(kWindowBytes);
}

void WindowReader::fail() {
    failed_ = true;
    drained_ = true;
    at_ = end_;
}

void WindowReader::fill(std::size_t count) {
    if (drained_) return;
    const std::size_t kept = end_ - at_;
    if (kept > 0) std::memmove(window_.data(), window_.data() + at_, kept);
    before_window_ += at_;
    at_ = 0;
    end_ = kept;
    if (before_window_ + end_ >= bytes_max_) {
        is_over_limit_ = true;
        return fail();
    }
    while (end_ < count && !drained_) {
        const Result<std::size_t> read = from_.read(MutableBytes(window_).subspan(end_));
        if (!read) {
            damage_ = read.error();
            fail();
            return;
        }
        if (*read == 0) drained_ = true;
        end_ += *read;
    }
}

void WindowReader::skip(std::size_t count) {
    while (count > end_ - at_) {
        count -= end_ - at_;
        at_ = end_;
        fill(std::min(count, kWindowBytes));
        if (at_ == end_) return fail();
    }
    at_ += count;
}

BytesView WindowReader::contiguous(std::size_t count) {
    // The window doubles with what has really been decompressed, so a length that lies takes no
    // memory.
    while (end_ - at_ < count && !drained_) {
        const std::size_t here = end_ - at_;
        if (here == window_.size()) window_.resize(std::min(count, 2 * window_.size()));
        fill(std::min(count, window_.size()));
    }
    if (end_ - at_ < count) {
        fail();
        return {};
    }
    const BytesView bytes(window_.data() + at_, count);
    at_ += count;
    return bytes;
}

bool WindowReader::at_end() {
    if (at_ == end_) fill(1);
    return at_ == end_;
}

}  // namespace milena::record

// SPDX-License-Identifier: Apache-2.0
// The pieces of a gather write on their way into the kernel, which may take fewer bytes than
// offered: what is left, in the form of pwritev and sendmsg, a window of it at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <sys/uio.h>

#include "milena/base/bytes.h"

namespace milena::env {

/// Views `pieces`, which must outlive it.
class IoPieces {
public:
    explicit IoPieces(std::span<const BytesView> pieces) : pieces_(pieces) { skip_empty(); }

    bool empty() const { return pieces_.empty(); }

    /// The first pieces that are left, at most kWindow of them.
    std::span<::iovec> next() {
        std::size_t count = 0;
        for (const BytesView piece : pieces_.first(std::min(pieces_.size(), kWindow))) {
            window_[count++] = {const_cast<std::byte*>(piece.data()), piece.size()};
        }
        window_[0].iov_base = static_cast<std::byte*>(window_[0].iov_base) + taken_;
        window_[0].iov_len -= taken_;
        return std::span(window_).first(count);
    }

    /// `bytes` of what next() gave are done.
    void advance(std::size_t bytes) {
        taken_ += bytes;
        while (!pieces_.empty() && taken_ >= pieces_.front().size()) {
            taken_ -= pieces_.front().size();
            pieces_ = pieces_.subspan(1);
        }
    }

private:
    static constexpr std::size_t kWindow = 32;

    void skip_empty() { advance(0); }

    std::span<const BytesView> pieces_;
    std::size_t taken_ = 0;  ///< of the first piece
    std::array<::iovec, kWindow> window_;
};

}  // namespace milena::env

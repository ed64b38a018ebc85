// SPDX-License-Identifier: Apache-2.0
// Where a connection's bytes arrive and frames are cut from them, in place. A frame's announced
// length reserves address space only: the allocation is not touched before bytes come, and those
// are charged to the node's budget.
//
// Of large frames as many are read together as fit, up to the end of the last and no further, if
// the next are of the same size: so frames of one size begin at the front of the buffer and are
// never moved.
#pragma once

#include <memory>
#include <optional>

#include "milena/base/bytes.h"
#include "milena/base/result.h"
#include "milena/env/byte_budget.h"

namespace milena::wire {

class ReceiveBuffer {
public:
    ReceiveBuffer(std::uint32_t frame_bytes_max, env::ByteBudget& budget)
        : frame_bytes_max_(frame_bytes_max), budget_(budget) {}
    ~ReceiveBuffer();
    ReceiveBuffer(const ReceiveBuffer&) = delete;
    ReceiveBuffer& operator=(const ReceiveBuffer&) = delete;

    /// The next whole frame, without its length; it stays valid until the next call to writable().
    /// Nothing if more bytes must come first. INVALID_REQUEST if the length can't be served, in
    /// words that say what the peer seems to speak.
    Result<std::optional<MutableBytes>> next_frame();

    /// Room for the next read, at least one byte; nothing if the budget, or the system, has no
    /// memory left for it.
    std::optional<MutableBytes> writable();
    /// The read put `count` bytes into what writable() gave.
    void received(std::size_t count);

    /// A frame has begun and is not whole.
    bool has_partial_frame() const { return end_ != begin_; }
    /// Gives back what a quiet connection need not keep. Only between frames.
    void shrink();

private:
    bool make_room(std::size_t frame_size);
    void charge_to(std::uint64_t bytes);

    const std::uint32_t frame_bytes_max_;
    env::ByteBudget& budget_;
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;  ///< first byte that no frame has taken
    std::size_t end_ = 0;
    std::size_t expected_ = 0;  ///< size of the last frame, length and all, if it was large
    std::uint64_t charged_ = 0;
};

}  // namespace milena::wire

// SPDX-License-Identifier: Apache-2.0
// Where the appends to one directory are written. A write to the page cache takes microseconds and
// is made where its caller stands, until one does not: the system makes writers wait when too much
// is dirty or a journal commits, for as long as it likes. From then on the directory is not calm
// and its writes go through the disk pool, one after the other, until it has proved itself again.
// One at a time also means that a stalled directory has one thread of the pool, and no other.
#pragma once

#include <atomic>
#include <cstdint>

#include "milena/env/clock.h"
#include "milena/env/guarded.h"
#include "milena/env/pool_turns.h"

namespace milena::env {

/// Thread-safe.
class WriteLane {
public:
    /// More at once is never written in place.
    static constexpr std::size_t kInPlaceBytesMax = 1 << 20;
    /// A write of up to so many bytes that takes longer is a slow one; of a larger one each such
    /// part may take so long.
    static constexpr Duration kSlow = std::chrono::milliseconds(5);
    /// So many writes in the pool, one after the other and none of them slow, make it calm again.
    static constexpr int kQuickForCalm = 32;

    bool is_calm() const { return is_calm_.load(std::memory_order_relaxed); }
    /// A write of `bytes` may be made in place now.
    bool takes_in_place(std::size_t bytes) const { return bytes <= kInPlaceBytesMax && is_calm(); }

    /// Every write says how long it took, wherever it was made.
    void wrote_in_place(std::size_t bytes, Duration took) {
        if (took > allowed(bytes)) [[unlikely]]
            disturb();
    }
    void wrote_in_pool(std::size_t bytes, Duration took);

    /// Writes in the disk pool, one at a time.
    PoolTurns& turns() { return turns_; }

    /// How often it was calm no more, for metrics.
    std::uint64_t disturbances() const;

private:
    struct State {
        int quick_in_a_row = 0;
        std::uint64_t disturbances = 0;
    };
    static Duration allowed(std::size_t bytes) {
        return kSlow * static_cast<std::int64_t>(1 + bytes / kInPlaceBytesMax);
    }
    void disturb();

    std::atomic<bool> is_calm_ = true;
    Guarded<State> state_;
    PoolTurns turns_{1};
};

}  // namespace milena::env

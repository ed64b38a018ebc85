// SPDX-License-Identifier: Apache-2.0
// Over how many core threads connections are spread: over as few as keep up. What passes from one
// core to another wakes a thread, and that costs more than most requests: three nodes on two
// processors, RF 3, acks=all, 1 KiB records in batches of 16 KiB take 8 CPU-s for a million records
// on one core each, 12 on two. A decision without I/O: it is told how busy the threads were.
#pragma once

#include <cstddef>
#include <span>

#include "milena/env/clock.h"

namespace milena::env {

class CoreSpread {
public:
    /// Begins with one core of so many.
    explicit CoreSpread(std::size_t cores) : cores_(cores) {}

    /// So many cores have connections, the first ones.
    std::size_t working() const { return working_; }
    /// `used` is the processor time that each core took of the last `elapsed`. Twice as many work
    /// as soon as one of them was busy for more than three fifths of it; half as many when all
    /// together left more than two thirds of those idle for ten seconds.
    void note(std::span<const Duration> used, Duration elapsed);

private:
    const std::size_t cores_;
    std::size_t working_ = 1;
    Duration quiet_{};  ///< for so long fewer would have done
};

}  // namespace milena::env

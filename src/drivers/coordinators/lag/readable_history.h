// SPDX-License-Identifier: Apache-2.0
// When records of one partition became readable, as far as somebody knows who asks for its high
// watermark now and then. Few samples, however long ago the first was: they lie the closer the
// younger they are, so an answer is right to a share of itself.
//
//   high watermark     .--b====      each sample is an offset, and when it was first and last seen
//                     /              to be the high watermark; what became readable between a and
//            a=======´               b did so evenly, from when a was last seen
//                    time
#pragma once

#include <cstdint>
#include <vector>

#include "milena/base/ids.h"

namespace milena::drivers {

/// Tenths of a second since whoever keeps the histories began: they last for 13 years.
using LagTick = std::uint32_t;
inline constexpr double kLagTicksPerSecond = 10;

class ReadableHistory {
public:
    static constexpr std::size_t kSamplesMax = 12;

    bool empty() const { return samples_.empty(); }
    /// As it was seen last. Not of an empty one.
    Offset high_watermark() const { return samples_.back().offset; }
    LagTick last_seen() const { return samples_.back().last; }

    /// Not earlier than the last time. A lower one than before: the log was cut there.
    void see(Offset high_watermark, LagTick now);
    void clear() { std::vector<Sample>().swap(samples_); }

    /// For how many seconds a reader that is to read `next` next has had something to read; 0 if
    /// there is nothing. Where it became readable before the first sample, since that: at least so
    /// long. Not of an empty one.
    double seconds_unread(Offset next, LagTick now) const;

    std::size_t samples() const { return samples_.size(); }

private:
    struct Sample {
        Offset offset;
        LagTick first = 0;
        LagTick last = 0;
    };
    void make_room(LagTick now);

    std::vector<Sample> samples_;  ///< offsets and times grow
};

}  // namespace milena::drivers

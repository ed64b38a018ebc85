// SPDX-License-Identifier: Apache-2.0
// The clocks of one simulated node: the timeline's time, seen from elsewhere.
#pragma once

#include "milena/env/clock.h"
#include "sim/timeline.h"

namespace milena::sim {

class SimClock final : public env::Clock {
public:
    explicit SimClock(const Timeline& timeline) : timeline_(timeline) {}
    env::Instant now() const override { return timeline_.now() + offset_; }
    env::Timestamp wall() const override;

    env::Instant on_timeline(env::Instant when) const {
        return when == env::kNever ? when : when - offset_;
    }
    void set_offset(env::Duration offset) { offset_ = offset; }
    /// How far wall time here is ahead of the others'.
    void set_wall_skew(env::Duration skew) { skew_ = skew; }

private:
    const Timeline& timeline_;
    env::Duration offset_{};
    env::Duration skew_{};
};

}  // namespace milena::sim

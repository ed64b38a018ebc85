// SPDX-License-Identifier: Apache-2.0
// Holds a test back to so many records a second.
#pragma once

#include <cstdint>

#include "milena/env/clock.h"

namespace milena::cli {

class Pace {
public:
    /// Negative: as many as can be.
    explicit Pace(double records_per_second) : records_per_second_(records_per_second) {}

    /// How long to wait before the next record when `sent` went out in `elapsed`. Zero while it is
    /// hardly ahead: a timer is not worth less than two milliseconds.
    env::Duration pause(std::int64_t sent, env::Duration elapsed) const;

private:
    double records_per_second_;
};

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// The time that the records sent should have taken, less the time they took.
#include "perf/pace.h"

namespace milena::cli {
namespace {

constexpr env::Duration kWorthWaiting = std::chrono::milliseconds(2);

}  // namespace

env::Duration Pace::pause(std::int64_t sent, env::Duration elapsed) const {
    if (records_per_second_ <= 0) return env::Duration::zero();
    const std::chrono::duration<double> planned(static_cast<double>(sent) / records_per_second_);
    const auto ahead = std::chrono::duration_cast<env::Duration>(planned) - elapsed;
    return ahead < kWorthWaiting ? env::Duration::zero() : ahead;
}

}  // namespace milena::cli

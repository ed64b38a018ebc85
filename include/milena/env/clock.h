// SPDX-License-Identifier: Apache-2.0
// Time. Decisions about order, timeouts and safety use the monotonic clock; wall time is only ever
// a label.
#pragma once

#include <chrono>

#include "milena/base/ids.h"
#include "milena/env/task.h"

namespace milena::env {

using Duration = std::chrono::nanoseconds;

struct MonotonicClock {
    using duration = Duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<MonotonicClock>;
    static constexpr bool is_steady = true;
};
/// A moment of the monotonic clock of this node; means nothing on another node or after a restart.
using Instant = MonotonicClock::time_point;
inline constexpr Instant kNever = Instant::max();

/// Milliseconds since 1970 of the wall clock, as records carry them; it may jump.
using Timestamp = Id<struct TimestampTag, std::int64_t>;

/// Thread-safe.
class Clock {
public:
    virtual ~Clock() = default;
    virtual Instant now() const = 0;
    virtual Timestamp wall() const = 0;
};

/// One waiter's alarm, bound to one executor; every call is made there.
class Timer {
public:
    virtual ~Timer() = default;
    /// True when `when` has come, false when cancel() came first. One wait at a time.
    virtual Task<bool> wait_until(Instant when) = 0;
    /// Ends the wait that is running, if one is.
    virtual void cancel() = 0;
};

}  // namespace milena::env

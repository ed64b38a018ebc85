// SPDX-License-Identifier: Apache-2.0
// Average, greatest and rate of what was counted lately, as Kafka's sampled metrics have them: two
// windows of 30 seconds, of which the older one is forgotten when the newer one is full. For one
// thread.
#pragma once

#include <array>
#include <optional>

#include "milena/env/clock.h"

namespace milena::telemetry {

class RecentValues {
public:
    void add(double value, env::Instant now);

    /// Nothing if nothing was counted lately.
    std::optional<double> average(env::Instant now) const;
    std::optional<double> greatest(env::Instant now) const;
    /// The sum of the values per second.
    double per_second(env::Instant now) const;

private:
    struct Window {
        env::Instant begin = env::Instant::min();  ///< min if it is unused
        double sum = 0;
        double greatest = 0;
        double count = 0;
    };
    bool counts(const Window& window, env::Instant now) const;

    std::array<Window, 2> windows_;
    std::size_t newest_ = 0;
};

}  // namespace milena::telemetry

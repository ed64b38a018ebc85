// SPDX-License-Identifier: Apache-2.0
// The system's clocks, and timers on Asio's. Asio's steady clock is CLOCK_MONOTONIC too, so an
// Instant is its time under another name.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>

#include "milena/env/clock.h"

namespace milena::env {

class RealClock final : public Clock {
public:
    Instant now() const override;
    Timestamp wall() const override;
};

class RealTimer final : public Timer {
public:
    explicit RealTimer(Executor owner) : timer_(owner) {}
    Task<bool> wait_until(Instant when) override;
    void cancel() override { timer_.cancel(); }

private:
    using Steady = std::chrono::steady_clock;
    boost::asio::basic_waitable_timer<Steady, boost::asio::wait_traits<Steady>, Executor> timer_;
};

}  // namespace milena::env

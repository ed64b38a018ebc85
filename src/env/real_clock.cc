// SPDX-License-Identifier: Apache-2.0
// A timer is Asio's; its waiter may outlive it, so the coroutine touches nothing after the wait.
#include "real_clock.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

namespace milena::env {

Instant RealClock::now() const {
    return Instant(std::chrono::steady_clock::now().time_since_epoch());
}

Timestamp RealClock::wall() const {
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    return Timestamp(std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count());
}

Task<bool> RealTimer::wait_until(Instant when) {
    timer_.expires_at(Steady::time_point(when.time_since_epoch()));
    const auto [aborted] = co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
    co_return !aborted;  // and nothing else: the timer may be gone
}

}  // namespace milena::env

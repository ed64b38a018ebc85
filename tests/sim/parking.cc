// SPDX-License-Identifier: Apache-2.0
// Waking posts; dropping destroys. Nothing resumes a coroutine in place.
#include "sim/parking.h"

#include <utility>

#include "milena/base/invariant.h"

namespace milena::sim {

std::uint64_t Parking::add(std::unique_ptr<Waiter> waiter) {
    if (closed_) return 0;
    waiting_.emplace(++tickets_, std::move(waiter));
    return tickets_;
}

std::unique_ptr<Parking::Waiter> Parking::take(std::uint64_t ticket) {
    auto entry = waiting_.extract(ticket);
    if (entry.empty() || closed_) return nullptr;
    is_ready_ = true;
    return std::move(entry.mapped());
}

void Parking::close() {
    closed_ = true;
    // One by one: what dies with a coroutine may wake, and so take, another.
    while (!waiting_.empty()) waiting_.extract(waiting_.begin());
}

env::Task<void> Pause::wait() {
    INVARIANT(ticket_ == 0, "two coroutines wait at one place");
    co_await boost::asio::async_initiate<const boost::asio::deferred_t, void()>(
        [this](auto handler) {
            ticket_ =
                parking_->add(std::make_unique<Suspended<decltype(handler)>>(std::move(handler)));
        },
        boost::asio::deferred);
}

void Pause::wake() {
    if (const std::uint64_t ticket = std::exchange(ticket_, 0); ticket != 0) {
        if (const auto waiter = parking_->take(ticket)) waiter->resume();
    }
}

}  // namespace milena::sim

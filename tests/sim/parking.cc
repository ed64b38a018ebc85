// SPDX-License-Identifier: Apache-2.0
// Waking posts; dropping destroys. Nothing resumes a coroutine in place.
#include "sim/parking.h"

#include <utility>

#include "milena/base/invariant.h"

namespace milena::sim {

std::uint64_t Parking::add(std::unique_ptr<Waiter> waiter) {
    if (closed_) return 0;
    auto index = static_cast<std::uint32_t>(places_.size());
    if (free_.empty()) {
        places_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    Place& place = places_[index];
    place.waiter = std::move(waiter);
    return std::uint64_t{index} << 32 | place.generation;
}

std::unique_ptr<Parking::Waiter> Parking::take(std::uint64_t ticket) {
    if (closed_) return nullptr;
    const auto index = static_cast<std::uint32_t>(ticket >> 32);
    Place& place = places_[index];
    if (place.generation != static_cast<std::uint32_t>(ticket)) return nullptr;
    ++place.generation;
    free_.push_back(index);
    is_ready_ = true;
    return std::move(place.waiter);
}

void Parking::close() {
    closed_ = true;
    // What dies with a coroutine may wake, and so take, another: nobody is found any more.
    for (std::size_t i = 0; i < places_.size(); ++i)
        const auto dropped = std::move(places_[i].waiter);
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

// SPDX-License-Identifier: Apache-2.0
// Nodes of the order move by being taken out and put in again.
#include "timers.h"

#include <utility>

#include "milena/base/invariant.h"

namespace milena::coordinator {

Timer::Timer(Timer&& other) noexcept
    : order_(std::exchange(other.order_, nullptr)), place_(other.place_) {}

Timer& Timer::operator=(Timer&& other) noexcept {
    std::swap(order_, other.order_);
    std::swap(place_, other.place_);
    return *this;
}

void Timer::set(DueByTime& order, env::Instant when, Due due) {
    cancel();
    place_ = order.emplace(when, std::move(due));
    order_ = &order;
}

void Timer::move(env::Instant when) {
    INVARIANT(order_ != nullptr, "a timer that is not set is moved");
    auto node = order_->extract(place_);
    node.key() = when;
    place_ = order_->insert(std::move(node));
}

void Timer::cancel() {
    if (order_ == nullptr) return;
    order_->erase(place_);
    order_ = nullptr;
}

}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// Events are taken out before they happen, so they may add and cancel others.
#include "sim/timeline.h"

#include <algorithm>
#include <utility>

#include "milena/base/invariant.h"

namespace milena::sim {

env::Instant Timeline::next() {
    while (!queue_.empty() && events_[queue_.front().id.slot].number != queue_.front().id.number) {
        std::ranges::pop_heap(queue_, std::greater());
        queue_.pop_back();
    }
    return queue_.empty() ? env::kNever : queue_.front().when;
}

Timeline::EventId Timeline::at(env::Instant when, Owner owner, std::function<void()> what) {
    EventId id{.number = ++added_, .slot = events_.size()};
    if (free_.empty()) {
        events_.emplace_back();
    } else {
        id.slot = free_.back();
        free_.pop_back();
    }
    events_[id.slot] = {id.number, owner, std::move(what)};
    queue_.push_back({std::max(when, now_), id});
    std::ranges::push_heap(queue_, std::greater());
    return id;
}

std::function<void()> Timeline::take(std::size_t slot) {
    events_[slot].number = 0;
    free_.push_back(slot);
    return std::exchange(events_[slot].what, nullptr);
}

void Timeline::cancel(const EventId& id) {
    if (events_[id.slot].number != id.number) return;
    const auto dropped = take(id.slot);  // what it captured dies after the queue is whole again
}

void Timeline::cancel_all_of(Owner owner) {
    std::vector<std::function<void()>> dropped;
    for (std::size_t slot = 0; slot < events_.size(); ++slot) {
        if (events_[slot].number != 0 && events_[slot].owner == owner)
            dropped.push_back(take(slot));
    }
}

Timeline::Owner Timeline::step() {
    INVARIANT(next() != env::kNever, "a step of an empty timeline");
    const Place first = queue_.front();
    std::ranges::pop_heap(queue_, std::greater());
    queue_.pop_back();
    now_ = first.when;
    const Owner owner = events_[first.id.slot].owner;
    const auto what = take(first.id.slot);
    what();
    return owner;
}

void Timeline::advance_to(env::Instant when) {
    INVARIANT(when >= now_ && when <= next(), "time would jump over an event, or back");
    now_ = when;
}

}  // namespace milena::sim

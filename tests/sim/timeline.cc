// SPDX-License-Identifier: Apache-2.0
// Events are taken out before they happen, so they may add and cancel others.
#include "sim/timeline.h"

#include <algorithm>
#include <vector>

#include "milena/base/invariant.h"

namespace milena::sim {

env::Instant Timeline::next() const {
    return events_.empty() ? env::kNever : events_.begin()->first.first;
}

Timeline::EventId Timeline::at(env::Instant when, Owner owner, std::function<void()> what) {
    const EventId id(std::max(when, now_), ++added_);
    events_.emplace(id, Event{owner, std::move(what)});
    return id;
}

void Timeline::cancel(const EventId& id) {
    const auto dropped =
        events_.extract(id);  // what it captured dies after the queue is whole again
}

void Timeline::cancel_all_of(Owner owner) {
    std::vector<Event> dropped;
    std::erase_if(events_, [&](auto& entry) {
        if (entry.second.owner != owner) return false;
        dropped.push_back(std::move(entry.second));
        return true;
    });
}

void Timeline::step() {
    INVARIANT(!events_.empty(), "a step of an empty timeline");
    const auto event = events_.extract(events_.begin());
    now_ = event.key().first;
    event.mapped().what();
}

void Timeline::advance_to(env::Instant when) {
    INVARIANT(when >= now_ && when <= next(), "time would jump over an event, or back");
    now_ = when;
}

}  // namespace milena::sim

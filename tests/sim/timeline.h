// SPDX-License-Identifier: Apache-2.0
// Virtual time: a clock that stands still while code runs, and the queue of what is to happen.
// Events of the same moment happen in the order in which they were added.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "milena/env/clock.h"

namespace milena::sim {

class Timeline {
public:
    /// Whose events die together. 0 is the world itself.
    using Owner = std::uint64_t;
    using EventId = std::pair<env::Instant, std::uint64_t>;

    env::Instant now() const { return now_; }
    bool empty() const { return events_.empty(); }
    /// When the next event is, kNever if there is none.
    env::Instant next() const;

    /// A moment that has passed is now.
    EventId at(env::Instant when, Owner owner, std::function<void()> what);
    EventId after(env::Duration delay, Owner owner, std::function<void()> what) {
        return at(now_ + delay, owner, std::move(what));
    }
    void cancel(const EventId& id);
    void cancel_all_of(Owner owner);

    /// Moves to the next event and lets it happen; there must be one.
    void step();
    /// Moves to `when`, which no event comes before.
    void advance_to(env::Instant when);

private:
    struct Event {
        Owner owner;
        std::function<void()> what;
    };

    env::Instant now_{};
    std::uint64_t added_ = 0;
    std::map<EventId, Event> events_;
};

}  // namespace milena::sim

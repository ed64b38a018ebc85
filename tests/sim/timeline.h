// SPDX-License-Identifier: Apache-2.0
// Virtual time: a clock that stands still while code runs, and the queue of what is to happen.
// Events of the same moment happen in the order in which they were added.
#pragma once

#include <functional>
#include <vector>

#include "milena/env/clock.h"

namespace milena::sim {

class Timeline {
public:
    /// Whose events die together. 0 is the world itself.
    using Owner = std::uint64_t;
    struct EventId {
        std::uint64_t number = 0;  ///< in the order of adding, from 1 on
        std::size_t slot = 0;
    };

    env::Instant now() const { return now_; }
    bool empty() { return next() == env::kNever; }
    /// When the next event is, kNever if there is none.
    env::Instant next();

    /// A moment that has passed is now.
    EventId at(env::Instant when, Owner owner, std::function<void()> what);
    EventId after(env::Duration delay, Owner owner, std::function<void()> what) {
        return at(now_ + delay, owner, std::move(what));
    }
    /// Nothing if it has happened.
    void cancel(const EventId& id);
    void cancel_all_of(Owner owner);

    /// Moves to the next event and lets it happen; there must be one. Gives its owner.
    Owner step();
    /// Moves to `when`, which no event comes before.
    void advance_to(env::Instant when);

private:
    /// What is to happen; its slot is used again.
    struct Event {
        std::uint64_t number = 0;  ///< 0: none
        Owner owner = 0;
        std::function<void()> what;
    };
    /// A place in the queue, a heap with the earliest in front. It stays when its event is
    /// cancelled, until its turn comes.
    struct Place {
        env::Instant when;
        EventId id;

        bool operator>(const Place& other) const {
            return when != other.when ? when > other.when : id.number > other.id.number;
        }
    };

    std::function<void()> take(std::size_t slot);

    env::Instant now_{};
    std::uint64_t added_ = 0;
    std::vector<Place> queue_;
    std::vector<Event> events_;
    std::vector<std::size_t> free_;
};

}  // namespace milena::sim

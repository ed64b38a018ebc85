// SPDX-License-Identifier: Apache-2.0
// The moments that groups wait for, in their order. A timer is set again and again, with each
// heartbeat of a member: that moves its node in the order and takes no memory.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "milena/env/clock.h"

namespace milena::coordinator {

/// What to look at when a moment has come.
struct Due {
    enum class Kind : std::uint8_t {
        session,  ///< a member, or who was told its id and did not come with it, was silent
        join,     ///< a rebalance has waited long enough for members to join
        sync,     ///< and for them to ask for their assignments
        notice,   ///< it lasts so long that somebody should know
        // Of members of consumer groups.
        consumer_session,    ///< was silent
        consumer_rebalance,  ///< was told to give partitions up and did not
        consumer_join,       ///< speaks the classic protocol, was told to join and did not
        consumer_sync,       ///< and did not ask for its assignment
        consumer_notice,     ///< of a group: what a notice is above
    };
    Kind kind = Kind::session;
    std::string group;
    std::string member_id{};  ///< of a member's moment
};

constexpr bool is_of_consumer_group(Due::Kind kind) {
    return kind >= Due::Kind::consumer_session;
}

using DueByTime = std::multimap<env::Instant, Due>;

/// One moment; it is taken out of the order when it is destroyed. The order outlives it.
class Timer {
public:
    Timer() = default;
    ~Timer() { cancel(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    Timer(Timer&& other) noexcept;
    Timer& operator=(Timer&& other) noexcept;

    /// From now on it is this one. Of those with one time the first set comes first.
    void set(DueByTime& order, env::Instant when, Due due);
    /// The same thing later or earlier; it must be set.
    void move(env::Instant when);
    void cancel();
    bool is_set() const { return order_ != nullptr; }
    /// Nothing if it is not set.
    std::optional<env::Instant> when() const {
        return is_set() ? std::optional(place_->first) : std::nullopt;
    }

private:
    DueByTime* order_ = nullptr;
    DueByTime::iterator place_{};
};

}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// From when to when a member of a group has each of its partitions for sure, as far as the member
// can know: from the answer that gave it until it gives it up, is put out, or its coordinator may
// believe that it is gone.
//
// The coordinator may believe so a session after the last request that it has answered was sent,
// and a rebalance timeout after it wanted a partition back. And it may hear a request later whose
// answer was lost, or that came twice, a *ghost*: one that says that the member has nothing is as
// good as giving everything up. That is so in Kafka too; so what a ghost does not name is the
// member's for sure only when the coordinator has said so again after the ghost can't come any
// more.
#pragma once

#include <set>

#include "sim/workload/group_history.h"

namespace milena::sim {

class Holds {
public:
    using Partitions = std::set<std::int32_t>;
    /// Longer than any server is paused, or a frame under way.
    static constexpr env::Duration kGhostLife = std::chrono::seconds(25);

    struct Timeouts {
        env::Duration session;
        /// Not less than the session's.
        env::Duration rebalance;
    };
    /// Where the holds are written lives longer.
    Holds(GroupHistory& history, Timeouts timeouts) : history_(history), timeouts_(timeouts) {}

    struct Answer {
        /// When its request was, and when it came.
        env::Instant sent;
        env::Instant came;
        /// Of who was the coordinator all the time between.
        bool is_current = true;
    };
    /// It names all that the member has or may keep: new ones are taken, nothing is given up.
    void told(const Partitions& all, const std::string& member, const Answer& answer);
    /// With success.
    void answered(const Answer& answer);
    /// Its coordinator wants some of it back, and may have since a request of that moment.
    void wanted_back(env::Instant since);
    /// What was wanted back is given up, and the coordinator has heard it.
    void settled() { wanted_since_ = env::kNever; }
    void give_up(std::int32_t partition, env::Instant now);
    void give_up_all(env::Instant now);
    /// A request that says that the member has these may be heard at any time from now on.
    void ghost(const Partitions& said, env::Instant now);
    /// Nobody listens to those any more: the member has another id.
    void forget_ghosts() { ghosts_.clear(); }

private:
    struct Ghost {
        env::Instant gone_by;
        Partitions said;
    };
    /// Its place in the history, and whether it counts yet.
    struct Open {
        std::size_t place = 0;
        bool is_sure = false;
    };

    bool is_haunted(std::int32_t partition, env::Instant sent) const;
    void open(std::int32_t partition, const std::string& member, env::Instant taken);
    void begin(Open& hold, env::Instant now);
    env::Instant limit() const;
    void extend(Open& hold);

    GroupHistory& history_;
    const Timeouts timeouts_;
    std::map<std::int32_t, Open> open_;
    std::vector<Ghost> ghosts_;
    env::Instant answered_{};
    env::Instant wanted_since_ = env::kNever;
};

}  // namespace milena::sim

// SPDX-License-Identifier: Apache-2.0
// What a coordinator remembers of a group's last rebalance. Once made it is not changed: a group
// has a pointer to its last one, and what is decided and not written is taken back by putting the
// one before in its place.
#pragma once

#include <memory>

#include "milena/coordinator/group_events.h"
#include "milena/env/clock.h"

namespace milena::coordinator {

/// A row of rebalances of which each broke the last one off is one, of as many rounds.
struct RebalanceHistory {
    RebalanceReason reason;    ///< of the last round
    env::Instant began;        ///< the first round
    env::Instant round_began;  ///< the last
    std::int32_t rounds = 1;
    bool is_over = false;
    env::Instant ended{};       ///< if it is over
    GroupMemberName slowest{};  ///< and who was waited for longest, if somebody was, and how long
    std::int64_t slowest_ms = 0;
};
using SharedHistory = std::shared_ptr<const RebalanceHistory>;

/// A wait for members is told when it lasts so long, and then whenever it has lasted twice as long.
inline constexpr env::Duration kNoticeAfter = std::chrono::seconds(5);

std::int64_t whole_ms(env::Duration time);

/// What a member said of itself, as much of it as is kept.
std::string kept_words(std::string_view said);
/// Who it is, as much of each name as is kept: to be read, not to find it again.
GroupMemberName kept_name(std::string_view member_id, std::string_view instance_id,
                          std::string_view client_id, std::string_view client_host);

/// Another round of a rebalance that is not over, or the first of another one.
SharedHistory begun(const SharedHistory& last, RebalanceReason reason, env::Instant now);
/// It is over. `slowest` is nobody if nobody was waited for.
SharedHistory ended(const RebalanceHistory& rebalance, env::Instant now, GroupMemberName slowest,
                    std::int64_t slowest_ms);

/// Null: none is known.
std::optional<GroupFacts::Rebalance> fact_of(const SharedHistory& rebalance, env::Instant now);

}  // namespace milena::coordinator

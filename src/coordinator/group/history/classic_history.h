// SPDX-License-Identifier: Apache-2.0
// What is noted of a classic group's rebalances as they go, and told to operators.
#pragma once

#include "../decision.h"

namespace milena::coordinator {

/// The group has become one that waits for its members.
void note_begun(Decision& decision, ClassicGroup& group, RebalanceReason why);
/// It is settled: stable or empty.
void note_ended(Decision& decision, ClassicGroup& group);

/// The member has come to a group that waits for members.
void note_joined(const Decision& decision, ClassicGroup& group, const Member& member);
/// The leader has handed its assignments in.
void note_assigned(const Decision& decision, ClassicGroup& group, const Member& leader);

struct Removal {
    RebalanceCause cause;
    std::int32_t timeout_ms;
};
/// The member, which is still in the group, is about to be removed.
void note_removed(Decision& decision, const ClassicGroup& group, std::string_view member_id,
                  Removal why);

/// The group may have waited for long.
void notice_is_due(Decision& decision, ClassicGroup& group);

/// Whom it waits for now.
AwaitedMembers awaited(const ClassicGroup& group, env::Instant now);

}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// What is noted of the rebalances of a group of the consumer protocol, and told to operators. One
// begins with each new epoch of the group, and is over when every member has what it is to have.
#pragma once

#include "../decision.h"

namespace milena::coordinator {

/// The group has another epoch.
void note_begun(Decision& decision, ConsumerGroup& group, RebalanceReason why);
/// After all changes of a decision: the states that groups are in now.
void note_states(Decision& decision);
/// A coordinator has taken the group over.
void begin_history(const Decision& decision, ConsumerGroup& group);

/// The member's moment has come, and it is about to be removed.
void note_removed(Decision& decision, const ConsumerGroup& group, const Due& due);

/// The group may have waited for long.
void notice_is_due(Decision& decision, ConsumerGroup& group);

/// Whom it waits for now. Who waits himself for partitions that others still have is not named.
AwaitedMembers awaited(const Table& table, const ConsumerGroup& group, env::Instant now);

}  // namespace milena::coordinator

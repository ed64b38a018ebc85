// SPDX-License-Identifier: Apache-2.0
// How a classic group goes from one generation to the next: waiting for members, choosing, handing
// assignments out, and what happens when somebody is silent.
#pragma once

#include "decision.h"

namespace milena::coordinator {

/// A new member that waits for a rebalance can't be told from one that is gone: it is told to come
/// again after this time.
inline constexpr std::int32_t kNewMemberJoinTimeoutMs = 5 * 60 * 1000;

/// From now on its session lasts as long as it asked for, or as long as told.
void extend_session(Decision& decision, const ClassicGroup& group, Member& member);
void extend_session(Decision& decision, const ClassicGroup& group, Member& member,
                    std::int32_t timeout_ms);

/// Begins a rebalance, or, if one waits for members, ends the wait if all are there.
void rebalance_or_complete(Decision& decision, ClassicGroup& group, RebalanceReason why);
void begin_rebalance(Decision& decision, ClassicGroup& group, RebalanceReason why);
/// Not of the first rebalance, which has its own time.
void complete_if_all_joined(Decision& decision, ClassicGroup& group);
/// The same of any: somebody the group waited for is gone.
void complete_without(Decision& decision, ClassicGroup& group);
/// The wait for members may be over then.
void look_at_joins(Decision& decision, ClassicGroup& group, env::Instant when);

/// The wait for members is over: those who did not come are out, the others are told.
void complete_join(Decision& decision, ClassicGroup& group);

/// What members are told when they have joined.
JoinReply joined_reply(const ClassicGroup& group, const Member& member, bool with_members);

SyncReply synced_reply(const ClassicGroup& group, const Member& member);
SyncReply refused_sync(ErrorCode code);

/// In this state the members wait for assignments: they get them, or all are told this code and
/// have none.
void hand_out(Decision& decision, ClassicGroup& group,
              std::vector<SyncRequest::Assignment> assignments);
void withdraw_assignments(Decision& decision, ClassicGroup& group, ErrorCode code);
/// It has asked for its assignment, or nobody waits for that any more.
void note_synced(ClassicGroup& group, Member& member);

/// Whoever waits in its name is told this.
void tell_waiting(Decision& decision, Member& member, ErrorCode join_code, ErrorCode sync_code);
/// Its place is free; who waits in its name is told UNKNOWN_MEMBER_ID, so that a consumer that
/// still lives comes again.
void drop(Decision& decision, ClassicGroup& group, std::string_view member_id);

/// Something's time has come. Its timer is not set any more.
void on_due(Decision& decision, const Due& due);

}  // namespace milena::coordinator

// SPDX-License-Identifier: Apache-2.0
// The parts of a join that stand in files of their own.
#pragma once

#include "decision.h"

namespace milena::coordinator {

/// "client-UUID", or "instance-UUID". `before`: the member whose place it takes, if there is one.
std::string new_member_id(const Decision& decision, const JoinRequest& request,
                          const Member* before = nullptr);

JoinReply refused_join(ErrorCode code, std::string_view member_id);

/// JoinGroup to a group that there is, of what is well said.
void join_classic_group(Decision& decision, Ticket ticket, const JoinRequest& request,
                        ClassicGroup& group);

/// A member that was not in the group is, and waits for its rebalance.
void add_member(Decision& decision, Ticket ticket, const JoinRequest& request, ClassicGroup& group,
                std::string member_id);
/// One that is says again what it wants, and waits.
void update_member(Decision& decision, Ticket ticket, const JoinRequest& request,
                   ClassicGroup& group, Member& member);

/// A process of an instance that is in the group has started again: it takes the place of the one
/// before, which is fenced (KIP-345).
void return_static(Decision& decision, Ticket ticket, const JoinRequest& request,
                   ClassicGroup& group, Member& member);

}  // namespace milena::coordinator

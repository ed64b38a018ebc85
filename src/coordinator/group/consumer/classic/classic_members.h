// SPDX-License-Identifier: Apache-2.0
// Members that speak the classic protocol in a group of the consumer protocol (KIP-848): their
// JoinGroup says what a heartbeat would, SyncGroup hands out what they have, and a heartbeat tells
// them to join again when they have to go on. There is no leader, and nobody waits for others.
#pragma once

#include "../../decision.h"

namespace milena::coordinator {

/// The group has members, so that it is not replaced by a classic one.
void join_consumer_group(Decision& decision, Ticket ticket, const JoinRequest& request,
                         ConsumerGroup& group);
void sync_with_consumer_group(Decision& decision, Ticket ticket, const SyncRequest& request,
                              ConsumerGroup& group);
void heartbeat_to_consumer_group(Decision& decision, Ticket ticket, const HeartbeatRequest& request,
                                 ConsumerGroup& group);
void leave_consumer_group(Decision& decision, Ticket ticket, const LeaveRequest& request,
                          ConsumerGroup& group);

}  // namespace milena::coordinator

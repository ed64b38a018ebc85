// SPDX-License-Identifier: Apache-2.0
// The parts of a ConsumerGroupHeartbeat that stand in files of their own.
#pragma once

#include "../decision.h"

namespace milena::coordinator {

/// INVALID_REQUEST, UNSUPPORTED_ASSIGNOR, INVALID_REGULAR_EXPRESSION: what is wrong with it
/// whatever the group.
Result<void> check_heartbeat(const Table& table, const ConsumerHeartbeatRequest& request);

/// A member goes, or is away for a while.
Result<ConsumerHeartbeatReply> leave_by_epoch(Decision& decision,
                                              const ConsumerHeartbeatRequest& request);

}  // namespace milena::coordinator

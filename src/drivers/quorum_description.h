// SPDX-License-Identifier: Apache-2.0
// The quorum as its leader tells others of it (KIP-595, KIP-836).
#pragma once

#include "milena/controller/requests.h"
#include "milena/drivers/quorum.h"

namespace milena::drivers {

/// On the leader, which has fetched from itself and caught up with itself `now`.
controller::QuorumDescription quorum_description(const QuorumStatus& status, Timestamp now);

}  // namespace milena::drivers

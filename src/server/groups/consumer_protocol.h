// SPDX-License-Identifier: Apache-2.0
// What the two requests of consumer groups (KIP-848) have in common.
#pragma once

#include <span>

#include "../request.h"
#include "milena/coordinator/group_requests.h"

namespace milena::server {

/// group.coordinator.rebalance.protocols has consumer, and group.version is finalized at 1 or more.
bool serves_consumer_protocol(const Request& request);

std::span<std::int32_t> indexes_of(Request& request, const coordinator::TopicPartitions& topic);

}  // namespace milena::server

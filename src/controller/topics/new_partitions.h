// SPDX-License-Identifier: Apache-2.0
// Partitions that are about to be made: which brokers may have them, and what they begin as.
#pragma once

#include <vector>

#include "milena/controller/placement.h"
#include "view.h"

namespace milena::controller {

/// False if its every directory is closed to new replicas (KIP-1066).
bool takes_new_replicas(const metadata::BrokerRegistration& broker);

/// Brokers that may get replicas.
std::vector<UsableBroker> usable_brokers(const View& view);

/// A partition with these replicas, the first of which that is active leads. At least one is.
metadata::PartitionRegistration new_partition(const View& view, const Replicas& replicas);

}  // namespace milena::controller

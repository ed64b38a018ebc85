// SPDX-License-Identifier: Apache-2.0
// Leadership of partitions when brokers come and go: which partitions a change of a broker touches;
// what becomes of each is decided in partition/partition_change.h.
#pragma once

#include <vector>

#include "view.h"

namespace milena::controller {

/// What happens to a broker.
enum class BrokerEvent {
    joins,             ///< it is about to be active
    leaves,            ///< fenced, shutting down or unregistered: it can't lead nor be in sync
    leaves_uncleanly,  ///< the same, and what it had acknowledged may be lost: it is not eligible
                       ///< either
};

/// The records that follow from `event`, one for each partition that changes.
Records partition_changes(const View& view, BrokerId broker, BrokerEvent event);

/// The same as partition_changes for the partitions whose replicas on `broker` are in one of these
/// directories, which failed.
Records directory_failure_changes(const View& view, BrokerId broker,
                                  const std::vector<Uuid>& failed);

}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// Leadership of partitions when brokers come and go (KIP-966 included). For each partition that a
// change touches:
//
//   in-sync replicas   lose the broker that leaves; may become empty where eligible replicas are
//   kept eligible replicas  while fewer than min.insync.replicas are in sync: those that left in an
//   orderly way leader             stays if it can; else an in-sync replica, else an eligible one,
//   in the order of the replicas;
//                      else the last known leader, else (if the topic allows it) any: these two may
//                      lack records, so the leader begins as recovering; else none
#pragma once

#include <optional>
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

/// What an election that somebody asked for changes; nothing if nothing.
std::optional<RecordValue> election_change(const View& view, const metadata::TopicImage& topic,
                                           PartitionIndex index, ElectionType type);

/// The same as partition_changes for the partitions whose replicas on `broker` are in one of these
/// directories, which failed.
Records directory_failure_changes(const View& view, BrokerId broker,
                                  const std::vector<Uuid>& failed);

}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// A snapshot keeps of each producer its last batch only (so Kafka's format), but five may have been
// on their way when a node stopped, none of them answered: its producer sends them all again. Those
// that the snapshot lacks are looked for in the log, once, when one of them comes.
#pragma once

#include <memory>
#include <span>

#include "producers/producer_states.h"
#include "segment.h"

namespace milena::storage {

/// The batches that `entry`'s producer wrote in its epoch right before those that `entry` has,
/// newest first: as many as it has room for. What lies more than 16 MiB before them is not found.
Result<std::vector<ProducedBatch>> find_earlier_batches(
    std::span<const std::unique_ptr<Segment>> segments, const ProducerEntry& entry);

}  // namespace milena::storage

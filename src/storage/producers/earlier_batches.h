// SPDX-License-Identifier: Apache-2.0
// A snapshot keeps of each producer its last batch only (so Kafka's format), but five may have been
// on their way when a node stopped, none of them answered: its producer sends them all again. Those
// that the snapshot lacks are looked for at the end of the log, for all producers at once, when the
// first of them comes.
#pragma once

#include <memory>
#include <span>

#include "producers/producer_states.h"
#include "segment.h"

namespace milena::storage {

/// Each producer in `states` knows its last five batches then, as far as they lie in the last 4 MiB
/// of the log or can be read; nobody is partial any more.
void recall_batches(std::span<const std::unique_ptr<Segment>> segments, ProducerStates& states);

}  // namespace milena::storage

// SPDX-License-Identifier: Apache-2.0
// How the producers of a log are found again: the newest snapshot that is whole, then the batches
// behind it, of which only headers and markers are read.
#pragma once

#include <memory>
#include <vector>

#include "producers/producer_states.h"
#include "segment.h"

namespace milena::storage {

/// What a batch in the log means to its producer, if it has one: for a whole batch in memory, and
/// for one in a file. Gives the transaction that it ends.
std::optional<EndedTransaction> note_batch(ProducerStates& states, const record::BatchView& batch);
Result<std::optional<EndedTransaction>> note_batch(ProducerStates& states, const env::File& file,
                                                   const FoundBatch& batch);

struct ReplayRequest {
    env::FileSystem& files;
    const Logger& logger;
    const std::string& directory;
    /// In offset order, and not beyond `end` but for the last one.
    const std::vector<std::unique_ptr<Segment>>& segments;
    /// Of the snapshots in the directory.
    const std::vector<Offset>& snapshots;
    Timestamp now;
    std::int64_t expiration_ms = 0;
};

/// Makes `states` what they were when the log ended at `end`. Snapshots that are damaged are
/// removed. Gives the offset of the snapshot it began with; −1 if there was none.
Result<Offset> replay_producers(const ReplayRequest& request, Offset end, ProducerStates& states);

}  // namespace milena::storage

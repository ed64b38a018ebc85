// SPDX-License-Identifier: Apache-2.0
// Finds a log again at start. After a clean stop nothing is scanned but the tail behind the last
// index entry. After an unclean one the segments from the recovery point on are walked over:
// batches below it by their headers, the others whole, with CRC and order; the first bad one ends
// the log. Missing indexes are rebuilt. Producers are found again from a snapshot and the batches
// behind it.
#pragma once

#include <memory>
#include <vector>

#include "epoch_cache.h"
#include "milena/storage/log.h"
#include "producers/producer_states.h"
#include "segment.h"
#include "segment_files.h"

namespace milena::storage {

struct LoadedLog {
    std::vector<std::unique_ptr<Segment>> segments;  ///< at least one
    EpochCache epochs;
    Offset log_start;
    Offset log_end;
    Offset durable_end;
    LeaderEpoch last_epoch = kNoLeaderEpoch;
    /// Files that recovery has written and nobody has synced.
    std::vector<std::shared_ptr<env::File>> unsynced;
    bool has_new_names = false;
    ProducerStates producers;
    /// Where the newest snapshot of them lies; −1 if there is none.
    Offset snapshot_at{-1};
    /// Where the first gap between segments that were not synced lies, if it was let stand.
    std::optional<Offset> unsynced_gap{};
};

/// What is needed to load a log; the members outlive the call.
struct LoadRequest {
    env::FileSystem& files;
    const Logger& logger;
    const std::string& directory;
    const LogOptions& options;
    const Recovery& recovery;
    Timestamp now;
};

Result<LoadedLog> load_log(const LoadRequest& request);

}  // namespace milena::storage

// SPDX-License-Identifier: Apache-2.0
// The metadata log on disk as raft needs it: __cluster_metadata-0 with its segments, snapshots and
// quorum-state. Opening it finds out everything that the core must know at its start. Not
// thread-safe; calls block.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "milena/base/logger.h"
#include "milena/raft/quorum_state_file.h"
#include "milena/raft/snapshot.h"
#include "milena/storage/log.h"

namespace milena::raft {

struct MetadataLogOptions {
    std::string directory;
    /// The voters while neither log nor snapshot names any.
    VoterSet static_voters;
    std::uint64_t segment_bytes = 1ULL << 30;
};

class MetadataLog {
public:
    /// Removes what an interrupted stop left, checks the whole log (it has no clean-shutdown marker
    /// of its own), syncs what was not known to be synced. An error names the file.
    static Result<std::unique_ptr<MetadataLog>> open(env::Env& env, Logger logger,
                                                     MetadataLogOptions options);

    /// What was found at the start.
    const RecoveredState& recovered() const { return recovered_; }
    /// The newest snapshot that was found. Handed out once: it can be large.
    std::optional<Snapshot> take_snapshot() { return std::exchange(snapshot_, std::nullopt); }

    storage::Log& log() { return *log_; }

    /// Writes quorum-state durably.
    Result<void> save(const QuorumState& state, std::int16_t kraft_version, const VoterSet& voters);

    /// Whole batches from the one that begins at `from` on, all below `upper`; at least one if
    /// there is one. About `bytes_max` bytes. CORRUPT_MESSAGE if what lies there is not a sequence
    /// of batches.
    struct Chunk {
        std::vector<std::byte> bytes;
        std::vector<record::BatchView> batches;  ///< in `bytes`
    };
    Result<Chunk> read(Offset from, Offset upper, std::uint64_t bytes_max);

private:
    MetadataLog(env::Env& env, MetadataLogOptions options)
        : env_(env), options_(std::move(options)) {}
    Result<void> remove_leftovers(Logger& logger);
    Result<void> load_snapshot();
    Result<void> open_log(Logger& logger);
    Result<void> scan();

    env::Env& env_;
    MetadataLogOptions options_;
    std::unique_ptr<storage::Log> log_;
    std::optional<Snapshot> snapshot_;
    RecoveredState recovered_;
};

}  // namespace milena::raft

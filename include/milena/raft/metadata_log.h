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
    std::uint64_t segment_bytes = 1ULL << 30;          ///< metadata.log.segment.bytes
    std::int64_t segment_ms = 7LL * 24 * 3600 * 1000;  ///< metadata.log.segment.ms
    /// Above this, log and snapshots together lose what is oldest; -1 is without limit.
    std::int64_t retention_bytes = 100LL << 20;  ///< metadata.max.retention.bytes
    /// A snapshot whose last record is older goes, if there is a newer one; -1 is never.
    std::int64_t retention_ms = 7LL * 24 * 3600 * 1000;  ///< metadata.max.retention.ms
};

class MetadataLog {
public:
    /// Removes what an interrupted stop left, loads the newest snapshot, checks the whole log
    /// behind the oldest (it has no clean-shutdown marker of its own), syncs what was not known to
    /// be synced. A snapshot that is not whole is passed over, with a line in the log, if the log
    /// still has what was in it. An error names the file.
    static Result<std::unique_ptr<MetadataLog>> open(env::Env& env, Logger logger,
                                                     MetadataLogOptions options);

    /// What was found at the start.
    const RecoveredState& recovered() const { return recovered_; }
    /// The newest snapshot that was found. Handed out once: it can be large.
    std::optional<Snapshot> take_snapshot() { return std::exchange(snapshot_, std::nullopt); }

    storage::Log& log() { return *log_; }
    const std::string& directory() const { return options_.directory; }

    /// The snapshots on disk that are known to be whole, oldest first.
    const std::vector<StoredSnapshot>& snapshots() const { return snapshots_; }
    /// One more, newer than the others, is durable.
    void note_snapshot(const StoredSnapshot& snapshot) { snapshots_.push_back(snapshot); }

    /// The second snapshot, if the oldest is to go at this time by Kafka's rules: log and snapshots
    /// together are too large, or its last record is too old. One step: what clean() took with it
    /// counts for the next. The newest always stays.
    std::optional<SnapshotId> oldest_to_keep(Timestamp now) const;

    struct Cleaned {
        std::vector<std::string> files;  ///< renamed, to be removed
        /// Why a snapshot could not be taken out. The log is as it was, and another try may follow.
        std::optional<Error> obstacle;
    };
    /// Takes the snapshots before `first` out of the directory, then the segments that end below
    /// its end, where the log begins from now on. `first` is one of snapshots(), and the log
    /// reaches its end. An error is one of a sync or of the log.
    Result<Cleaned> clean(const SnapshotId& first);
    /// Drops the log, which begins anew at the end of this snapshot: fetched, durable, and newer
    /// than all others, which go too.
    Result<Cleaned> begin_at(const StoredSnapshot& snapshot);

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
    Result<void> find_snapshots(Logger& logger);
    Result<void> load_newest(Logger& logger);
    Result<void> open_log(Logger& logger);
    Result<void> check_start(Logger& logger);
    bool has_end_of(const SnapshotId& snapshot) const;
    Result<void> scan();
    bool must_go(const StoredSnapshot& snapshot, Timestamp now) const;
    Result<void> set_aside(const SnapshotId& id, std::vector<std::string>& files);

    env::Env& env_;
    MetadataLogOptions options_;
    std::unique_ptr<storage::Log> log_;
    std::vector<StoredSnapshot> snapshots_;
    std::optional<Snapshot> snapshot_;
    /// The newest snapshot that is not whole.
    std::optional<Error> damage_;
    Offset damaged_end_;
    RecoveredState recovered_;
};

}  // namespace milena::raft

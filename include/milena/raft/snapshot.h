// SPDX-License-Identifier: Apache-2.0
// Snapshots of the metadata log, files <end offset, 20 digits>-<epoch, 10 digits>.checkpoint beside
// its segments (KIP-630). Batches as in the log, whose offsets count from 0: a control batch with
// SnapshotHeader and, with kraft.version 1, KRaftVersion and KRaftVoters; the state's records; a
// control batch with SnapshotFooter.
//
// 00000000000000000000-0000000000.checkpoint is what formatting leaves: the first voters, and
// records that the first controller writes into the log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "milena/env/files.h"
#include "milena/raft/batches.h"

namespace milena::raft {

inline constexpr SnapshotId kBootstrapSnapshot{};

/// "00000000000000000191-0000000001.checkpoint"
std::string snapshot_file_name(const SnapshotId& id);
/// The inverse; nothing for other names.
std::optional<SnapshotId> parse_snapshot_file_name(std::string_view name);

/// A whole snapshot in memory. Moving it keeps the views.
struct Snapshot {
    SnapshotId id;
    Timestamp last_contained_timestamp;
    /// 0 if the snapshot does not say.
    std::int16_t kraft_version = 0;
    std::optional<VoterSet> voters;
    /// The data batches, in `bytes`.
    std::vector<record::BatchView> batches;
    std::vector<std::byte> bytes;
};

/// The snapshots in the directory, oldest first. Nothing if there is no such directory.
Result<std::vector<SnapshotId>> list_snapshots(env::FileSystem& files,
                                               const std::string& directory);

/// Reads and checks a snapshot. CORRUPT_MESSAGE with the file's name if it is not whole.
Result<Snapshot> read_snapshot(env::FileSystem& files, const std::string& directory,
                               const SnapshotId& id);
/// The same of a file of any name.
Result<Snapshot> read_snapshot_file(env::FileSystem& files, const std::string& path,
                                    const SnapshotId& id);

/// A snapshot on disk, as the one who cleans up judges it.
struct StoredSnapshot {
    SnapshotId id;
    std::uint64_t bytes = 0;
    Timestamp last_contained_timestamp;

    bool operator==(const StoredSnapshot&) const = default;
};
/// From the file's size and its first batch. CORRUPT_MESSAGE with the file's name if that is no
/// header.
Result<StoredSnapshot> inspect_snapshot(env::FileSystem& files, const std::string& directory,
                                        const SnapshotId& id);

/// What formatting decides about a new cluster.
struct BootstrapSnapshot {
    /// Nothing for a static quorum (kraft.version 0): then the voters are configuration. An empty
    /// set: they are in the log of other nodes.
    std::optional<VoterSet> voters;
    /// Values of metadata records: feature levels, SCRAM credentials.
    std::vector<std::vector<std::byte>> records;
    Timestamp now;
};

/// Writes it into `directory` (…/__cluster_metadata-0, made if absent), durably, read-only, all or
/// nothing.
Result<void> write_bootstrap_snapshot(env::FileSystem& files, const std::string& directory,
                                      const BootstrapSnapshot& snapshot);

}  // namespace milena::raft

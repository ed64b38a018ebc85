// SPDX-License-Identifier: Apache-2.0
// Writes a snapshot file as the state's records come, with little of it in memory: the header
// batch, data batches, the footer batch, under the name *.checkpoint.part until all of it is
// durable. As Apache Kafka 4.4 lays it out: read-only, batches in the snapshot's own epoch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "milena/raft/snapshot.h"

namespace milena::raft {

struct SnapshotHead {
    SnapshotId id;
    /// Of the last record in it.
    Timestamp last_contained_timestamp;
    /// 0 names no voters: they are configuration then.
    std::int16_t kraft_version = 0;
    /// Nothing, or nobody: they stand in the log of other nodes.
    std::optional<VoterSet> voters;
    /// When it is written, for its batches.
    Timestamp now;
};

/// What was not finished is removed. Calls block.
class SnapshotWriter {
public:
    /// `directory` exists. Takes the place of what an earlier attempt left.
    static Result<SnapshotWriter> create(env::FileSystem& files, const std::string& directory,
                                         SnapshotHead head);
    SnapshotWriter(SnapshotWriter&&) noexcept = default;
    SnapshotWriter& operator=(SnapshotWriter&&) = delete;
    ~SnapshotWriter();

    /// Adds the value of a metadata record.
    Result<void> append(std::vector<std::byte> value);
    /// Footer, sync, name, sync of the directory: durable when it returns. Last call.
    Result<StoredSnapshot> finish();

private:
    SnapshotWriter(env::FileSystem& files, const std::string& directory, SnapshotHead head);
    Result<void> write(const std::vector<std::byte>& batch, std::size_t records);
    Result<void> write_records();

    env::FileSystem& files_;
    const std::string directory_;
    const std::string path_;
    const SnapshotHead head_;
    std::unique_ptr<env::File> file_;  ///< until finish()
    std::uint64_t bytes_ = 0;
    Offset next_;
    std::vector<std::vector<std::byte>> values_;
    std::size_t values_bytes_ = 0;
};

}  // namespace milena::raft

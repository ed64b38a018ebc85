// SPDX-License-Identifier: Apache-2.0
// A snapshot that is fetched from another replica, under the name *.checkpoint.part until all of it
// is there, is whole and is durable.
#pragma once

#include <memory>
#include <string>

#include "milena/raft/snapshot.h"

namespace milena::raft {

/// What was not published is removed. Calls block.
class SnapshotDownload {
public:
    /// `directory` exists. Takes the place of what an earlier attempt left. KAFKA_STORAGE_ERROR if
    /// the disk has no room for `size` bytes.
    static Result<SnapshotDownload> begin(env::FileSystem& files, const std::string& directory,
                                          const SnapshotId& id, std::uint64_t size);
    SnapshotDownload(SnapshotDownload&&) noexcept = default;
    SnapshotDownload& operator=(SnapshotDownload&&) = delete;
    ~SnapshotDownload();

    const SnapshotId& id() const { return id_; }
    Result<void> write(std::uint64_t position, BytesView bytes);
    /// Reads all of it back: CORRUPT_MESSAGE unless header, footer, every batch and every record is
    /// sound. Synced when it returns.
    Result<Snapshot> check();
    /// Gives it its name, durably. Last call; after an error of it nobody knows what is on the
    /// disk.
    Result<void> publish();

private:
    SnapshotDownload(env::FileSystem& files, const std::string& directory, const SnapshotId& id);
    std::string part() const { return path_ + ".part"; }

    env::FileSystem& files_;
    const std::string directory_;
    const std::string path_;
    const SnapshotId id_;
    std::unique_ptr<env::File> file_;  ///< until publish()
};

}  // namespace milena::raft

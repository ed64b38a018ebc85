// SPDX-License-Identifier: Apache-2.0
// Pieces are written where they belong; only the whole is looked at.
#include "milena/raft/snapshot_download.h"

#include <fmt/format.h>

namespace milena::raft {

SnapshotDownload::SnapshotDownload(env::FileSystem& files, const std::string& directory,
                                   const SnapshotId& id)
    : files_(files),
      directory_(directory),
      path_(directory + "/" + snapshot_file_name(id)),
      id_(id) {}

Result<SnapshotDownload> SnapshotDownload::begin(env::FileSystem& files,
                                                 const std::string& directory, const SnapshotId& id,
                                                 std::uint64_t size) {
    SnapshotDownload download(files, directory, id);
    // Removed first: what an earlier attempt left may be read-only, and takes room.
    TRY_VOID(files.remove(download.part()));
    TRY(const std::uint64_t free, files.free_bytes(directory));
    if (size > free) {
        return fail(ErrorCode::kafka_storage_error,
                    fmt::format("{}: {} bytes, and {} are free", download.path_, size, free));
    }
    TRY(download.file_, files.open(download.part(), env::OpenMode::create_empty));
    return download;
}

SnapshotDownload::~SnapshotDownload() {
    if (file_ == nullptr) return;
    // A start removes what can't be removed now.
    file_.reset();
    [[maybe_unused]] const Result<void> removed = files_.remove(part());
}

Result<void> SnapshotDownload::write(std::uint64_t position, BytesView bytes) {
    return file_->write_at(position, bytes);
}

Result<Snapshot> SnapshotDownload::check() {
    TRY_VOID(file_->sync());
    TRY(Snapshot snapshot, read_snapshot_file(files_, part(), id_));
    for (const record::BatchView batch : snapshot.batches) {
        if (const auto values = decode_values(batch); !values)
            return fail_at(part(), values.error());
    }
    return snapshot;
}

Result<void> SnapshotDownload::publish() {
    file_.reset();
    TRY_VOID(files_.make_read_only(part()));
    TRY_VOID(files_.rename(part(), path_));
    return files_.sync_directory(directory_);
}

}  // namespace milena::raft

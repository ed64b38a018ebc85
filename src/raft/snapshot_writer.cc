// SPDX-License-Identifier: Apache-2.0
// Batches of about a thousand records, each written when it is full.
#include "milena/raft/snapshot_writer.h"

namespace milena::raft {

namespace {
/// Of a data batch; Kafka's are as long in records.
constexpr std::size_t kBatchRecords = 1024;
constexpr std::size_t kBatchBytes = 1 << 20;

std::string part_of(const std::string& path) {
    return path + ".part";
}
}  // namespace

SnapshotWriter::SnapshotWriter(env::FileSystem& files, const std::string& directory,
                               SnapshotHead head)
    : files_(files),
      directory_(directory),
      path_(directory + "/" + snapshot_file_name(head.id)),
      head_(std::move(head)) {}

Result<SnapshotWriter> SnapshotWriter::create(env::FileSystem& files, const std::string& directory,
                                              SnapshotHead head) {
    SnapshotWriter writer(files, directory, std::move(head));
    // Removed first: what an earlier attempt left may be read-only.
    TRY_VOID(files.remove(part_of(writer.path_)));
    TRY(writer.file_, files.open(part_of(writer.path_), env::OpenMode::create_empty));
    std::vector<AnyControlRecord> records{SnapshotHeader{writer.head_.last_contained_timestamp}};
    if (writer.head_.kraft_version > 0) {
        records.push_back(KRaftVersionRecord{writer.head_.kraft_version});
        const auto& voters = writer.head_.voters;
        if (voters && !voters->empty()) records.push_back(VotersRecord{*voters});
    }
    TRY_VOID(writer.write(
        encode_control_batch(writer.next_, writer.head_.id.epoch, writer.head_.now, records),
        records.size()));
    return writer;
}

SnapshotWriter::~SnapshotWriter() {
    if (file_ == nullptr) return;
    // A start removes what can't be removed now.
    file_.reset();
    [[maybe_unused]] const Result<void> removed = files_.remove(part_of(path_));
}

Result<void> SnapshotWriter::write(const std::vector<std::byte>& batch, std::size_t records) {
    TRY_VOID(file_->write_at(bytes_, batch));
    bytes_ += batch.size();
    next_ = next_ + static_cast<std::int64_t>(records);
    return ok();
}

Result<void> SnapshotWriter::append(std::vector<std::byte> value) {
    values_bytes_ += value.size();
    values_.push_back(std::move(value));
    if (values_.size() < kBatchRecords && values_bytes_ < kBatchBytes) return ok();
    return write_records();
}

Result<void> SnapshotWriter::write_records() {
    if (values_.empty()) return ok();
    TRY_VOID(write(encode_data_batch(next_, head_.id.epoch, head_.now, values_), values_.size()));
    values_.clear();
    values_bytes_ = 0;
    return ok();
}

Result<StoredSnapshot> SnapshotWriter::finish() {
    TRY_VOID(write_records());
    const AnyControlRecord footer = SnapshotFooter{};
    TRY_VOID(
        write(encode_control_batch(next_, head_.id.epoch, head_.now, std::span(&footer, 1)), 1));
    TRY_VOID(file_->sync());
    TRY_VOID(files_.make_read_only(part_of(path_)));
    TRY_VOID(files_.rename(part_of(path_), path_));
    file_.reset();
    TRY_VOID(files_.sync_directory(directory_));
    return StoredSnapshot{head_.id, bytes_, head_.last_contained_timestamp};
}

}  // namespace milena::raft

// SPDX-License-Identifier: Apache-2.0
// Batches are gathered and written by the megabyte; indexes are made as they are for an append.
#include "cleaner/cleaned_writer.h"

#include <fmt/format.h>

namespace milena::storage {
namespace {

constexpr std::size_t kWriteBytes = 1 << 20;
constexpr std::uint64_t kSegmentBytesMax = INT32_MAX;

}  // namespace

CleanedWriter::CleanedWriter(env::FileSystem& files, const std::string& directory, Offset base,
                             std::uint32_t index_interval_bytes)
    : files_(files),
      directory_(directory),
      index_interval_bytes_(index_interval_bytes),
      segment_(files, directory, base, 0, kCleanedSuffix) {}

Result<void> CleanedWriter::create(bool with_transaction_index) {
    TRY_VOID(segment_.create());
    if (!with_transaction_index) return ok();
    const std::string name = segment_file_name(segment_.base(), ".txnindex");
    const std::string path = fmt::format("{}/{}{}", directory_, name, kCleanedSuffix);
    TRY(const auto made, files_.open(path, env::OpenMode::create_empty));
    return made->sync();
}

Result<void> CleanedWriter::append(const record::BatchView& batch) {
    if (segment_.size() + batch.size() > kSegmentBytesMax) {
        return fail(ErrorCode::kafka_storage_error,
                    fmt::format("{}: what is left of it is more than a segment can hold",
                                segment_.log_path()));
    }
    TRY_VOID(segment_.account({segment_.size(), batch.size(), batch}, index_interval_bytes_));
    pending_.insert(pending_.end(), batch.bytes().begin(), batch.bytes().end());
    return pending_.size() < kWriteBytes ? ok() : write_out();
}

Result<void> CleanedWriter::append(const IndexedTransaction& aborted) {
    return segment_.transaction_index().append({aborted.producer, aborted.first_offset,
                                                aborted.last_offset, aborted.last_stable_offset,
                                                true});
}

Result<void> CleanedWriter::write_out() {
    if (pending_.empty()) return ok();
    TRY(const auto file, segment_.file());
    TRY_VOID(file->write_at(written_, pending_));
    file->start_writeback(written_, pending_.size());
    written_ += pending_.size();
    pending_.clear();
    return ok();
}

Result<CleanedSegment> CleanedWriter::finish() {
    TRY_VOID(write_out());
    TRY(const auto written, segment_.seal());
    for (const auto& file : written) TRY_VOID(file->sync());
    CleanedSegment made{.base = segment_.base(), .bytes = segment_.size()};
    made.index_bytes = segment_.offset_index().file().bytes();
    made.time_index_bytes = segment_.time_index().file().bytes();
    made.transaction_index_bytes = segment_.transaction_index().file().bytes();
    segment_.release_file();
    return made;
}

}  // namespace milena::storage

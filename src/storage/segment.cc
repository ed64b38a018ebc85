// SPDX-License-Identifier: Apache-2.0
// Appends with their index entries, searches by offset, and the repairs of one segment.
#include "segment.h"

#include <algorithm>

#include <fmt/format.h>

namespace milena::storage {
namespace {

constexpr std::uint64_t kWritebackBytes = 4ULL << 20;
/// Index entries hold positions as i32.
constexpr std::uint64_t kSegmentBytesMax = INT32_MAX;

}  // namespace

std::string segment_file_name(Offset base, std::string_view suffix) {
    return fmt::format("{:020}{}", base.value, suffix);
}

Segment::Segment(env::FileSystem& files, const std::string& directory, Offset base,
                 std::uint64_t size, std::string_view tail)
    : files_(&files),
      directory_(directory),
      base_(base),
      tail_(tail),
      log_path_(path_of(".log")),
      size_(size),
      offsets_(files, path_of(".index"), base),
      times_(files, path_of(".timeindex"), base),
      transactions_(files, path_of(".txnindex")),
      writeback_from_(size),
      is_max_known_(size == 0) {}

/// Snapshots are the log's, not the segment's.
std::string Segment::path_of(std::string_view suffix) const {
    const std::string path = directory_ + "/" + segment_file_name(base_, suffix);
    return suffix == ".snapshot" ? path : path + tail_;
}

Result<std::shared_ptr<env::File>> Segment::file() {
    if (!file_) {
        TRY(file_, files_->open(log_path_, env::OpenMode::read_write));
    }
    return file_;
}

Result<void> Segment::create() {
    TRY(std::shared_ptr<env::File> made, files_->open(log_path_, env::OpenMode::create_empty));
    created(std::move(made));
    return ok();
}

void Segment::created(std::shared_ptr<env::File> file) {
    INVARIANT(size_ == 0, "a new segment is empty");
    file_ = std::move(file);
    are_indexes_written_ = false;
}

bool Segment::fits(std::uint64_t bytes, Offset last_offset, const LogOptions& options) const {
    if (last_offset - base_ > INT32_MAX) return false;
    if (size_ == 0) return bytes <= kSegmentBytesMax;
    const std::uint64_t bytes_max = std::min(options.segment_bytes, kSegmentBytesMax);
    if (bytes > bytes_max || size_ > bytes_max - bytes) return false;
    // One more entry for each index, and the time index's last one.
    return (offsets_.count() + 1) * OffsetIndex::kEntryBytes <= options.segment_index_bytes &&
           (times_.count() + 2) * TimeIndex::kEntryBytes <= options.segment_index_bytes;
}

Result<std::optional<Timestamp>> Segment::first_timestamp() {
    if (size_ > 0 && !first_timestamp_) {
        TRY(const auto log, file());
        HeaderWalk walk(*log, 0, size_);  // what it gives lies in it
        TRY(const auto first, walk.next());
        first_timestamp_ = first->view.max_timestamp();
    }
    return first_timestamp_;
}

Result<bool> Segment::is_due(Timestamp batch_timestamp, const env::Clock& clock,
                             std::int64_t segment_ms) {
    if (size_ == 0) return false;
    TRY_VOID(first_timestamp());
    if (first_timestamp_->value >= 0)
        return batch_timestamp.value - first_timestamp_->value > segment_ms;
    return clock.wall().value - created_at_.value > segment_ms;
}

/// A batch that compaction has emptied has a timestamp, and no record that has it.
void Segment::note_timestamp(const record::BatchView& batch) {
    if (batch.max_timestamp() > max_timestamp_.timestamp && batch.record_count() != 0) {
        max_timestamp_ = {batch.max_timestamp(), batch.last_offset()};
    }
}

Result<void> Segment::account(const FoundBatch& batch, std::uint32_t index_interval_bytes) {
    TRY_VOID(note(batch, index_interval_bytes));
    for (IndexFile* const index : index_files()) TRY_VOID(index->write_full_blocks());
    return ok();
}

Result<void> Segment::note(const FoundBatch& batch, std::uint32_t index_interval_bytes) {
    note_timestamp(batch.view);
    are_indexes_written_ = false;
    if (batch.position == 0) first_timestamp_ = batch.view.max_timestamp();
    if (bytes_since_index_ > index_interval_bytes) {
        TRY_VOID(offsets_.append(batch.view.last_offset(), batch.position));
        TRY_VOID(times_.maybe_append(max_timestamp_));
        bytes_since_index_ = 0;
    }
    bytes_since_index_ += batch.size;
    size_ = batch.end();
    return ok();
}

Result<void> Segment::note_all(BytesView batches, std::uint64_t position,
                               std::uint32_t index_interval_bytes) {
    while (!batches.empty()) {
        TRY(const auto batch, record::first_batch(batches));
        INVARIANT(batch, "batches were checked before they were written");
        TRY_VOID(note({position, batch->size(), *batch}, index_interval_bytes));
        position += batch->size();
        batches = batches.subspan(batch->size());
    }
    return ok();
}

bool Segment::is_ready() {
    return file_ != nullptr && is_max_known_ && (size_ == 0 || first_timestamp_) &&
           std::ranges::none_of(index_files(), &IndexFile::has_full_block);
}

Result<void> Segment::begin_append(PendingAppend& append) {
    if (!is_max_known_) TRY_VOID(max_timestamp());
    for (IndexFile* const index : index_files()) {
        if (index->has_full_block()) append.writes.push_back(index->full_blocks());
    }
    append.file = file_;
    if (file_ == nullptr) append.path = log_path_;
    append.position = size_;
    if (size_ + append.batches.size() - writeback_from_ >= kWritebackBytes)
        append.writeback_from = writeback_from_;
    return ok();
}

Result<void> Segment::end_append(PendingAppend& append, std::uint32_t index_interval_bytes) {
    INVARIANT(append.position == size_, "a segment grows by one append at a time");
    if (file_ == nullptr) file_ = std::move(append.file);
    for (IndexFile* const index : index_files()) index->settle();
    const Saved saved{size_, bytes_since_index_, max_timestamp_, first_timestamp_};
    const Offset first_offset = record::BatchView(append.batches).base_offset();
    if (auto done = note_all(append.batches, size_, index_interval_bytes); !done) {
        append.is_torn = !roll_back(saved, first_offset);
        return done;
    }
    if (append.writeback_from) writeback_from_ = size_;
    return ok();
}

Result<void> Segment::roll_back(const Saved& saved, Offset first_offset) {
    size_ = saved.size;
    bytes_since_index_ = saved.bytes_since_index;
    max_timestamp_ = saved.max_timestamp;
    first_timestamp_ = saved.first_timestamp;
    TRY_VOID(file_->truncate(size_));
    TRY_VOID(offsets_.truncate(first_offset));
    return times_.truncate(first_offset);
}

Result<std::optional<FoundBatch>> Segment::find(Offset offset, Header& header) {
    if (size_ == 0) return std::nullopt;
    TRY(const auto log, file());
    TRY(const OffsetIndex::Entry entry, offsets_.floor(offset));
    HeaderWalk walk(*log, entry.position, size_);
    while (true) {
        TRY(auto batch, walk.next());
        if (!batch) return std::nullopt;
        if (batch->view.last_offset() < offset) continue;
        std::ranges::copy(batch->view.bytes(), header.begin());
        batch->view = record::BatchView(header);
        return batch;
    }
}

Result<void> Segment::scan_timestamps(std::uint64_t position) {
    TRY(const auto log, file());
    HeaderWalk walk(*log, position, size_);
    while (true) {
        TRY(const auto batch, walk.next());
        if (!batch) return ok();
        note_timestamp(batch->view);
    }
}

Result<TimeIndex::Entry> Segment::max_timestamp() {
    if (!is_max_known_) {
        TRY(max_timestamp_, times_.last());
        // A sealed segment's last entry is its greatest timestamp; without entries only the batches
        // can tell.
        if (times_.count() == 0) TRY_VOID(scan_timestamps(0));
        is_max_known_ = true;
    }
    return max_timestamp_;
}

Result<Segment::End> Segment::load_end() {
    End end{base_, kNoLeaderEpoch};
    TRY(const OffsetIndex::Entry entry, offsets_.last());
    TRY_VOID(times_.file().ensure_loaded());
    if (size_ == 0) return end;
    if (entry.position >= size_) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("{}: its index points beyond it", log_path_));
    }
    TRY(const auto log, file());
    TRY(max_timestamp_, times_.last());
    HeaderWalk walk(*log, times_.count() == 0 ? 0 : entry.position, size_);
    while (true) {
        TRY(const auto batch, walk.next());
        if (!batch) break;
        note_timestamp(batch->view);
        end = {batch->view.next_offset(), batch->view.leader_epoch()};
    }
    is_max_known_ = true;
    bytes_since_index_ = size_ - entry.position;
    return end;
}

void Segment::reset_for_rebuild() {
    are_indexes_written_ = false;
    offsets_.file().clear();
    times_.file().clear();
    bytes_since_index_ = 0;
    max_timestamp_ = {};
    is_max_known_ = true;
    first_timestamp_.reset();
    size_ = 0;
    writeback_from_ = 0;
}

Result<void> Segment::cut(std::uint64_t size) {
    INVARIANT(size <= size_, "a segment is cut, not grown");
    TRY(const auto log, file());
    size_ = size;
    writeback_from_ = std::min(writeback_from_, size);
    return log->truncate(size);
}

Result<Offset> Segment::truncate(Offset end) {
    Header header;
    TRY(const auto batch, find(end, header));
    if (!batch) {
        TRY_VOID(load_end());
        return end;
    }
    are_indexes_written_ = false;
    TRY_VOID(cut(batch->position));
    TRY_VOID(offsets_.truncate(end));
    TRY_VOID(times_.truncate(end));
    TRY_VOID(transactions_.truncate(end));
    TRY(const OffsetIndex::Entry entry, offsets_.last());
    bytes_since_index_ = size_ - entry.position;
    if (size_ == 0) first_timestamp_.reset();
    // The entry that was dropped may have hidden smaller maxima before it.
    TRY(max_timestamp_, times_.last());
    TRY(const OffsetIndex::Entry scan_from, offsets_.floor(max_timestamp_.offset));
    TRY_VOID(scan_timestamps(scan_from.position));
    is_max_known_ = true;
    return std::min(end, batch->view.base_offset());
}

Result<std::vector<FileWrite>> Segment::begin_seal() {
    std::vector<FileWrite> writes;
    if (are_indexes_written_) return writes;
    TRY(const TimeIndex::Entry greatest, max_timestamp());
    TRY_VOID(times_.maybe_append(greatest));
    TRY_VOID(offsets_.file().ensure_loaded());
    TRY(FileWrite transactions, transactions_.whole());
    writes.push_back({.path = log_path_, .mode = env::OpenMode::read_write, .file = file_});
    writes.push_back(offsets_.file().whole());
    writes.push_back(times_.file().whole());
    writes.push_back(std::move(transactions));
    return writes;
}

void Segment::end_seal() {
    for (IndexFile* const index : index_files()) index->settle();
    are_indexes_written_ = true;
}

Result<std::vector<std::shared_ptr<env::File>>> Segment::seal() {
    std::vector<std::shared_ptr<env::File>> written;
    TRY(auto writes, begin_seal());
    for (FileWrite& write : writes) {
        TRY_VOID(write.run(*files_));
        if (write.file != nullptr) written.push_back(std::move(write.file));
    }
    end_seal();
    return written;
}

Result<void> Segment::remove() {
    for (const std::string_view suffix :
         {".index", ".timeindex", ".txnindex", ".snapshot", ".log"}) {
        TRY_VOID(files_->remove(path_of(suffix)));
    }
    return ok();
}

Result<void> Segment::set_aside(std::vector<std::string>& paths, bool with_snapshot) {
    // The log first: indexes without one are removed at start.
    for (const std::string_view suffix :
         {".log", ".index", ".timeindex", ".txnindex", ".snapshot"}) {
        if (suffix == ".snapshot" && !with_snapshot) continue;
        const std::string path = path_of(suffix);
        if (!files_->exists(path)) continue;
        const auto renamed = files_->rename(path, path + ".deleted");
        if (renamed) {
            paths.push_back(path + ".deleted");
        } else if (env::is_out_of_space(renamed.error())) {
            TRY_VOID(files_->remove(path));  // a full disk has no room for a longer name
        } else {
            return renamed;
        }
    }
    return ok();
}

}  // namespace milena::storage

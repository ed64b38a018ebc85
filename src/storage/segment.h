// SPDX-License-Identifier: Apache-2.0
// One segment of a log: record batches in a .log file, its offset, time and transaction index. The
// last segment of a log is active and takes appends; the others are sealed. The log file is opened
// when it is first needed and kept as a shared handle, so what a reader was given stays readable
// whatever happens to the segment.
#pragma once

#include <memory>
#include <string>

#include "batch_walk.h"
#include "milena/storage/log.h"
#include "offset_index.h"
#include "producers/transaction_index.h"
#include "time_index.h"

namespace milena::storage {

/// "00000000000000000170" and the suffix, ".log" say.
std::string segment_file_name(Offset base, std::string_view suffix);

class Segment {
public:
    /// A segment of which nothing is known but the size of its log file, 0 for a new one. `tail` is
    /// what the names of its files have at their end: ".cleaned" and ".swap", see cleaning.h.
    Segment(env::FileSystem& files, const std::string& directory, Offset base, std::uint64_t size,
            std::string_view tail = {});

    Offset base() const { return base_; }
    std::uint64_t size() const { return size_; }
    const std::string& log_path() const { return log_path_; }
    OffsetIndex& offset_index() { return offsets_; }
    TimeIndex& time_index() { return times_; }
    TransactionIndex& transaction_index() { return transactions_; }

    /// The open log file; made if absent and the segment is new.
    Result<std::shared_ptr<env::File>> file();
    /// The log file if it is open.
    const std::shared_ptr<env::File>& open_file() const { return file_; }
    /// Makes the empty log file, which is there from the start on, as Kafka has it.
    Result<void> create();
    /// The same with one that was made.
    void created(std::shared_ptr<env::File> file);
    /// Closes the handle that is kept, and what searches keep in memory. What readers hold stays
    /// open.
    void release_file() {
        file_.reset();
        offsets_.file().release_cache();
        times_.file().release_cache();
        transactions_.file().release_cache();
    }

    /// What an append needs to know of the segment to decide whether it rolls before it.
    bool fits(std::uint64_t bytes, Offset last_offset, const LogOptions& options) const;
    Result<bool> is_due(Timestamp batch_timestamp, const env::Clock& clock,
                        std::int64_t segment_ms);
    /// When this process made or found it.
    void set_created_at(Timestamp now) { created_at_ = now; }
    Timestamp created_at() const { return created_at_; }

    /// True if an append has nothing to open, to read or to write but its batches.
    bool is_ready();
    /// Adds to `append` where its batches go, and what else is to be written with them.
    Result<void> begin_append(PendingAppend& append);
    /// After append.run(): the batches are part of the segment, or a failure and it is as it was;
    /// if even that can't be made sure, append.is_torn is set.
    Result<void> end_append(PendingAppend& append, std::uint32_t index_interval_bytes);

    /// The first batch whose last offset is at or above `offset`; nothing if there is none in this
    /// segment. The header is copied into `header`.
    using Header = std::array<std::byte, record::kBatchHeaderBytes>;
    Result<std::optional<FoundBatch>> find(Offset offset, Header& header);

    /// Greatest timestamp and the last offset of the first batch that has it; -1 if no record has
    /// one.
    Result<TimeIndex::Entry> max_timestamp();
    /// The two are given without a look at the disk.
    bool is_max_timestamp_known() const { return is_max_known_; }
    bool is_first_timestamp_known() const { return size_ == 0 || first_timestamp_; }

    /// Learns what the indexes do not tell of the end of the log, by a walk over the headers behind
    /// the last entry. Gives the offset behind the last batch, the base for an empty segment, and
    /// that batch's epoch.
    struct End {
        Offset next_offset;
        LeaderEpoch last_epoch = kNoLeaderEpoch;
    };
    Result<End> load_end();

    /// Builds the offset and time index anew while somebody walks over the batches from the first
    /// on: reset_for_rebuild(), then each batch through account().
    void reset_for_rebuild();
    Result<void> account(const FoundBatch& batch, std::uint32_t index_interval_bytes);
    /// Cuts the log file at `size`, where a batch ends that has been accounted for, and keeps the
    /// file open.
    Result<void> cut(std::uint64_t size);

    /// Drops the batches that reach `end`. Gives the new end of the log: `end`, or the base offset
    /// of a batch that began before it.
    Result<Offset> truncate(Offset end);

    /// Ends the segment's growth: the last time index entry, and all indexes written whole, if
    /// they have changed since they last were. Gives all files that have to be synced for the
    /// segment to be durable.
    Result<std::vector<std::shared_ptr<env::File>>> seal();
    /// Its halves, for whoever writes in between: what is to be written, the log file among it, and
    /// that it was.
    Result<std::vector<FileWrite>> begin_seal();
    void end_seal();

    /// seal() has nothing to write.
    bool are_indexes_written() const { return are_indexes_written_; }

    /// Removes all files that belong to the segment, the producer snapshot at its base too.
    Result<void> remove();
    /// Renames them to ".deleted" instead, and adds their names to `paths`. What is open stays so.
    Result<void> set_aside(std::vector<std::string>& paths, bool with_snapshot = true);
    /// Their names end in another tail, or in none.
    bool has_tail() const { return !tail_.empty(); }

    /// Greatest timestamp of the first batch; nothing in an empty segment.
    Result<std::optional<Timestamp>> first_timestamp();

private:
    struct Saved {
        std::uint64_t size;
        std::uint64_t bytes_since_index;
        TimeIndex::Entry max_timestamp;
        std::optional<Timestamp> first_timestamp;
    };
    Result<void> roll_back(const Saved& saved, Offset first_offset);
    void note_timestamp(const record::BatchView& batch);
    /// account() without a write.
    Result<void> note(const FoundBatch& batch, std::uint32_t index_interval_bytes);
    Result<void> note_all(BytesView batches, std::uint64_t position,
                          std::uint32_t index_interval_bytes);
    /// The three of them.
    std::array<IndexFile*, 3> index_files() {
        return {&offsets_.file(), &times_.file(), &transactions_.file()};
    }
    /// Raises the greatest timestamp by the headers from `position` on.
    Result<void> scan_timestamps(std::uint64_t position);
    std::string path_of(std::string_view suffix) const;

    env::FileSystem* files_;
    std::string directory_;
    Offset base_;
    std::string tail_;
    std::string log_path_;
    std::shared_ptr<env::File> file_;
    std::uint64_t size_;
    OffsetIndex offsets_;
    TimeIndex times_;
    TransactionIndex transactions_;
    std::uint64_t bytes_since_index_ = 0;
    std::uint64_t writeback_from_;
    TimeIndex::Entry max_timestamp_;
    bool is_max_known_ = false;
    /// The index files hold what there is to hold.
    bool are_indexes_written_ = true;
    /// Greatest timestamp of the first batch, from which segment.ms counts.
    std::optional<Timestamp> first_timestamp_;
    Timestamp created_at_;
};

}  // namespace milena::storage

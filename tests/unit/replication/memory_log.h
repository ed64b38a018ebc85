// SPDX-License-Identifier: Apache-2.0
// A log in memory for tests of replication: whole batches in a vector, an epoch cache, and failures
// on demand. It knows nothing of producers (partition_test.cc has the real log for that). What
// read() gives is a file of its own, so that later appends do not change it.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "milena/record/records.h"
#include "milena/replication/partition.h"
#include "milena/storage/cleaning.h"
#include "milena/storage/log.h"

namespace milena::replication {

class MemoryFile final : public env::File {
public:
    explicit MemoryFile(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
    const std::string& path() const override { return path_; }
    Result<std::size_t> read_at(std::uint64_t position, MutableBytes into) const override {
        const std::size_t from = std::min<std::size_t>(position, bytes_.size());
        const std::size_t count = std::min(into.size(), bytes_.size() - from);
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(from), count, into.begin());
        return count;
    }
    Result<void> write_at(std::uint64_t, std::span<const BytesView>) override {
        return unwritable();
    }
    Result<void> truncate(std::uint64_t) override { return unwritable(); }
    Result<std::uint64_t> size() const override { return bytes_.size(); }
    Result<void> sync() override { return ok(); }
    void start_writeback(std::uint64_t, std::uint64_t) override {}
    bool is_cached(std::uint64_t) const override { return true; }

private:
    static Result<void> unwritable() { return fail(ErrorCode::kafka_storage_error, "read only"); }
    std::string path_ = "memory";
    std::vector<std::byte> bytes_;
};

/// A file of a disk that forgets what it could not write: its first sync fails, the next does not.
class ForgetfulFile final : public env::File {
public:
    /// `meanwhile` is called while it is synced.
    explicit ForgetfulFile(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {}
    const std::string& path() const override { return path_; }
    Result<std::size_t> read_at(std::uint64_t, MutableBytes) const override { return 0U; }
    Result<void> write_at(std::uint64_t, std::span<const BytesView>) override { return ok(); }
    Result<void> truncate(std::uint64_t) override { return ok(); }
    Result<std::uint64_t> size() const override { return 0U; }
    Result<void> sync() override {
        meanwhile_();
        return syncs_++ > 0 ? ok() : fail(ErrorCode::kafka_storage_error, "the test's sync");
    }
    void start_writeback(std::uint64_t, std::uint64_t) override {}
    bool is_cached(std::uint64_t) const override { return true; }
    int syncs() const { return syncs_; }

private:
    std::string path_ = "forgetful";
    std::function<void()> meanwhile_;
    int syncs_ = 0;
};

/// Takes every write, and calls the test while it does.
class HookedFile final : public env::File {
public:
    explicit HookedFile(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {}
    const std::string& path() const override { return path_; }
    Result<std::size_t> read_at(std::uint64_t, MutableBytes) const override { return 0U; }
    Result<void> write_at(std::uint64_t, std::span<const BytesView>) override {
        meanwhile_();
        return ok();
    }
    Result<void> truncate(std::uint64_t) override { return ok(); }
    Result<std::uint64_t> size() const override { return 0U; }
    Result<void> sync() override { return ok(); }
    void start_writeback(std::uint64_t, std::uint64_t) override { ++writebacks_; }
    bool is_cached(std::uint64_t) const override { return true; }
    int writebacks() const { return writebacks_; }

private:
    std::string path_ = "hooked";
    std::function<void()> meanwhile_;
    int writebacks_ = 0;
};

class MemoryLog final : public storage::Log {
public:
    struct Batch {
        std::vector<std::byte> bytes;
        Offset base;
        Offset next;
        LeaderEpoch epoch;
        Timestamp timestamp;
    };

    /// Takes part in nothing but this many appends; then they fail, and if `then_offline` for good.
    void fail_appends_after(int count, bool then_offline) {
        appends_left_ = count;
        then_offline_ = then_offline;
    }

    Offset log_start_offset() const override { return start_; }
    Offset log_end_offset() const override {
        return batches_.empty() ? start_ : batches_.back().next;
    }
    Offset durable_end_offset() const override { return std::min(durable_, log_end_offset()); }
    Offset first_segment_offset() const override { return first_; }
    std::uint64_t size_bytes() const override { return 0; }
    std::size_t segment_count() const override { return 1; }
    LeaderEpoch last_epoch() const override {
        return batches_.empty() ? kNoLeaderEpoch : batches_.back().epoch;
    }

    Result<void> append(BytesView batches) override {
        if (offline_ || appends_left_ == 0) {
            offline_ |= then_offline_;
            return fail(ErrorCode::kafka_storage_error, "the test's disk failed");
        }
        if (appends_left_ > 0) --appends_left_;
        for (BytesView rest = batches; !rest.empty();) {
            const auto batch = record::first_batch(rest).value().value();
            INVARIANT(batch.base_offset() >= log_end_offset(), "appended over what is there");
            note_epoch(batch.leader_epoch(), batch.base_offset());
            batches_.push_back({{batch.bytes().begin(), batch.bytes().end()},
                                batch.base_offset(),
                                batch.next_offset(),
                                batch.leader_epoch(),
                                batch.max_timestamp()});
            rest = rest.subspan(batch.size());
        }
        return ok();
    }

    /// What is written goes through the test's file, if it has given one, before it is there.
    Result<storage::PendingAppend> begin_append(BytesView batches) override {
        INVARIANT(!appending_, "two appends at once");
        if (offline_) return fail(ErrorCode::kafka_storage_error, "offline");
        appending_ = true;
        storage::PendingAppend append;
        append.batches = batches;
        append.file = file_to_write_;
        append.writeback_from = 0;  // as if much had been written before
        return append;
    }
    Result<void> end_append(storage::PendingAppend& append, Result<void> written) override {
        appending_ = false;
        TRY_VOID(written);
        return this->append(append.batches);
    }
    bool is_one_write(std::uint64_t, std::int64_t, Timestamp) override { return !rolls_next_; }
    void write_in(std::shared_ptr<env::File> file) { file_to_write_ = std::move(file); }
    /// Appends are more than one write from now on.
    void set_rolls_next(bool rolls) { rolls_next_ = rolls; }

    Result<storage::FileRange> read(Offset from, Offset upper, std::uint64_t bytes_max,
                                    bool at_least_one) override {
        std::vector<std::byte> bytes;
        for (const Batch& batch : batches_) {
            if (batch.next <= from || batch.next > upper) continue;
            if (bytes.size() + batch.bytes.size() > bytes_max && !(at_least_one && bytes.empty()))
                break;
            bytes.insert(bytes.end(), batch.bytes.begin(), batch.bytes.end());
        }
        if (bytes.empty()) return storage::FileRange{};
        const std::uint64_t length = bytes.size();
        return storage::FileRange{std::make_shared<MemoryFile>(std::move(bytes)), 0, length};
    }

    Result<std::optional<storage::TimestampOffset>> find_timestamp(Timestamp when,
                                                                   Offset upper) override {
        for (const Batch& batch : batches_) {
            if (batch.next <= upper && batch.timestamp >= when) return at(batch);
        }
        return std::nullopt;
    }
    Result<std::optional<storage::TimestampOffset>> find_max_timestamp(Offset upper) override {
        const Batch* greatest = nullptr;
        for (const Batch& batch : batches_) {
            if (batch.next > upper) break;
            if (greatest == nullptr || batch.timestamp > greatest->timestamp) greatest = &batch;
        }
        if (greatest == nullptr) return std::nullopt;
        return at(*greatest);
    }

    Result<std::optional<storage::ProducedBatch>> check_producer(
        const record::BatchView&) override {
        return std::nullopt;
    }
    std::optional<Offset> first_unstable_offset(Offset) override { return std::nullopt; }
    Result<std::vector<storage::AbortedTransaction>> aborted_transactions(
        Offset, const storage::FileRange&) override {
        return std::vector<storage::AbortedTransaction>();
    }
    std::vector<storage::ActiveProducer> active_producers() const override { return {}; }
    void expire_producers(Timestamp) override {}

    /// As the log on disk: nothing above the newest epoch, and one before the oldest ends where
    /// that begins.
    std::optional<storage::EpochEnd> end_of_epoch(LeaderEpoch epoch) const override {
        if (epochs_.empty() || epoch > epochs_.rbegin()->first) return std::nullopt;
        const auto above = epochs_.upper_bound(epoch);
        const Offset end = above == epochs_.end() ? log_end_offset() : above->second;
        return storage::EpochEnd{above == epochs_.begin() ? epoch : std::prev(above)->first, end};
    }
    LeaderEpoch epoch_at(Offset offset) const override {
        LeaderEpoch found = kNoLeaderEpoch;
        for (const auto& [epoch, start] : epochs_) {
            if (start <= offset) found = epoch;
        }
        return found;
    }
    Result<void> begin_epoch(LeaderEpoch epoch) override {
        if (fails_epochs_) {
            offline_ = true;
            return fail(ErrorCode::kafka_storage_error, "the test's disk failed");
        }
        note_epoch(epoch, log_end_offset());
        return ok();
    }

    /// No epoch can be begun from now on; the log is offline with the first that is tried.
    void fail_epochs() { fails_epochs_ = true; }

    Result<std::optional<storage::DirtyLog>> dirty_part(const storage::CleaningBounds&) override {
        return std::nullopt;
    }
    Result<storage::CleaningSource> begin_cleaning(const storage::DirtyLog&) override {
        return fail(ErrorCode::kafka_storage_error, "nothing here is cleaned");
    }
    bool is_own(const storage::CleaningTicket&) const override { return false; }
    bool is_same_log(const storage::CleaningTicket&) const override { return false; }
    bool begin_swap_in(const storage::CleaningTicket&, const storage::CleanedSegment&) override {
        return false;
    }
    Result<std::optional<std::vector<std::string>>> replace_by(
        const storage::CleaningTicket&, const storage::CleanedSegment&) override {
        return std::nullopt;
    }
    Result<bool> come_home(const storage::CleaningTicket&,
                           const storage::CleanedSegment&) override {
        return false;
    }
    Result<void> call_off_swap_in(const storage::CleaningTicket&) override { return ok(); }
    void set_cleaned_to(const storage::CleaningTicket&, Offset) override {}
    std::optional<Offset> cleaned_to() const override { return std::nullopt; }

    Result<void> truncate_to(Offset end) override {
        while (!batches_.empty() && batches_.back().next > end) batches_.pop_back();
        std::erase_if(epochs_, [&](const auto& entry) { return entry.second >= log_end_offset(); });
        durable_ = std::min(durable_, log_end_offset());
        return ok();
    }
    Result<void> restart_at(Offset start) override {
        batches_.clear();
        epochs_.clear();
        start_ = first_ = durable_ = start;
        return ok();
    }
    Result<void> raise_start(Offset start) override {
        if (start <= start_) return ok();
        start_ = start;
        std::erase_if(batches_, [&](const Batch& batch) { return batch.next <= start; });
        return ok();
    }
    /// What the test has said with let_go(): the next call moves the start there.
    Result<std::vector<std::string>> remove_old_segments(Offset high_watermark,
                                                         std::size_t) override {
        if (!old_until_ || *old_until_ > high_watermark) return std::vector<std::string>{};
        TRY_VOID(raise_start(*old_until_));
        first_ = start_;
        old_until_.reset();
        return std::vector<std::string>{"0.log.deleted"};
    }
    void let_go(Offset until) { old_until_ = until; }

    Result<void> flush() override {
        durable_ = log_end_offset();
        return ok();
    }
    PendingSync pending_sync() const override {
        PendingSync pending;
        pending.end = log_end_offset();
        if (durable_ < pending.end) pending.files.push_back(file_to_sync_);
        return pending;
    }
    void sync_in(std::shared_ptr<env::File> file) { file_to_sync_ = std::move(file); }
    bool has_unsynced_segments() const override { return has_rolled_; }
    void roll() { has_rolled_ = true; }
    void mark_durable(const PendingSync& done) override {
        durable_ = std::max(durable_, done.end);
        has_rolled_ = false;
    }
    void mark_offline() override { offline_ = true; }
    void set_options(const storage::LogOptions&) override {}
    bool is_unsynced_at_close() const override { return durable_ < log_end_offset(); }
    Result<void> begin_close() override { return ok(); }
    Result<void> end_close() override { return flush(); }
    Result<void> close() override { return flush(); }
    bool offline() const override { return offline_; }

    const std::vector<Batch>& batches() const { return batches_; }

private:
    static std::optional<storage::TimestampOffset> at(const Batch& batch) {
        return storage::TimestampOffset{batch.timestamp, batch.base, batch.epoch};
    }
    void note_epoch(LeaderEpoch epoch, Offset start) {
        if (!epochs_.empty() && epoch <= epochs_.rbegin()->first) return;
        std::erase_if(epochs_, [&](const auto& entry) { return entry.second >= start; });
        epochs_[epoch] = start;
    }

    std::vector<Batch> batches_;
    std::map<LeaderEpoch, Offset> epochs_;
    Offset start_;
    Offset first_;
    std::shared_ptr<env::File> file_to_sync_ =
        std::make_shared<MemoryFile>(std::vector<std::byte>());
    std::shared_ptr<env::File> file_to_write_ = std::make_shared<HookedFile>([] {});
    std::optional<Offset> old_until_;
    bool appending_ = false;
    bool rolls_next_ = false;
    bool fails_epochs_ = false;
    bool has_rolled_ = false;
    Offset durable_;
    int appends_left_ = -1;
    bool then_offline_ = false;
    bool offline_ = false;
};

/// What lies in a range.
inline std::vector<std::byte> bytes_of(const storage::FileRange& range) {
    std::vector<std::byte> bytes(range.length);
    if (range.file != nullptr) bytes.resize(range.file->read_at(range.position, bytes).value());
    return bytes;
}

/// One batch of `count` records at `when`, as a producer sends it.
inline std::vector<std::byte> batch_of(int count, Timestamp when,
                                       std::string_view value = "value") {
    record::BatchBuilder::Options options;
    options.timestamp = when;
    record::BatchBuilder builder(options);
    for (int i = 0; i < count; ++i) builder.append(as_bytes("key"), as_bytes(value));
    return std::move(builder).finish();
}

}  // namespace milena::replication

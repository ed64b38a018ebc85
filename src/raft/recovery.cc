// SPDX-License-Identifier: Apache-2.0
// The reading walks the files themselves: opening the log would mend it. The writing opens it, as a
// start does.
#include "milena/raft/recovery.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/raft/batches.h"
#include "milena/raft/metadata_log.h"
#include "milena/raft/snapshot.h"
#include "voter_history.h"

namespace milena::raft {
namespace {

constexpr std::uint64_t kReadBytes = 4ULL << 20;
/// A batch is far below this: metadata.log.segment.bytes and socket.request.max.bytes bound it.
constexpr std::uint64_t kBatchBytesMax = 256ULL << 20;
constexpr std::string_view kSegmentSuffix = ".log";
constexpr std::size_t kOffsetDigits = 20;

bool is_segment(std::string_view name) {
    return name.size() == kOffsetDigits + kSegmentSuffix.size() && name.ends_with(kSegmentSuffix) &&
           std::ranges::all_of(name.substr(0, kOffsetDigits),
                               [](char c) { return c >= '0' && c <= '9'; });
}

/// Walks the batches of one segment; `next` is the offset that the first must have, if it is known.
class SegmentWalk {
public:
    SegmentWalk(const env::File& file, std::uint64_t size) : file_(file), size_(size) {}

    /// True while there was a whole batch, which is in batch() until the next call.
    Result<bool> advance() {
        while (true) {
            const BytesView rest = BytesView(bytes_).subspan(used_);
            const auto batch = record::first_batch(rest);
            if (batch && *batch) {
                const auto described = describe(**batch);
                if (!described) return false;
                view_.emplace(**batch);
                batch_ = *described;
                used_ += view_->size();
                return true;
            }
            // What is no batch here may be one that goes on behind what was read.
            if (!batch || begin_ + bytes_.size() == size_ || rest.size() >= kBatchBytesMax)
                return false;
            TRY_VOID(read_more());
        }
    }
    const Batch& batch() const { return batch_; }
    env::Timestamp timestamp() const { return view_->max_timestamp(); }
    std::uint64_t position() const { return begin_ + used_; }

private:
    Result<void> read_more() {
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(used_));
        begin_ += std::exchange(used_, 0);
        const std::uint64_t had = bytes_.size();
        const std::uint64_t more = std::min(std::max(kReadBytes, had), size_ - begin_ - had);
        bytes_.resize(had + more);
        TRY(const std::size_t read, file_.read_at(begin_ + had, MutableBytes(bytes_).subspan(had)));
        if (read == more) return ok();
        return fail(ErrorCode::kafka_storage_error,
                    fmt::format("{} became shorter while it was read", file_.path()));
    }

    const env::File& file_;
    const std::uint64_t size_;
    std::vector<std::byte> bytes_;  ///< of the file from begin_ on
    std::uint64_t begin_ = 0;
    std::size_t used_ = 0;
    std::optional<record::BatchView> view_;
    Batch batch_;
};

class Inspection {
public:
    Inspection(env::FileSystem& files, const std::string& directory)
        : files_(files), directory_(directory) {}

    Result<DirectoryReport> run() {
        TRY_VOID(load_snapshot());
        TRY(const auto entries, files_.list(directory_));
        std::vector<std::string> segments;
        for (const auto& entry : entries) {
            if (is_segment(entry.name)) segments.push_back(directory_ + "/" + entry.name);
        }
        for (const std::string& path : segments) TRY_VOID(walk(path, &path == &segments.back()));
        TRY(report_.quorum, read_quorum_state(files_, directory_));
        report_.voters = voters_.back();
        return std::move(report_);
    }

private:
    Result<void> load_snapshot() {
        TRY(const auto ids, list_snapshots(files_, directory_));
        for (auto id = ids.rbegin(); id != ids.rend() && !report_.snapshot; ++id) {
            const auto snapshot = read_snapshot(files_, directory_, *id);
            if (!snapshot && snapshot.error().code == ErrorCode::corrupt_message) continue;
            if (!snapshot) return std::unexpected(snapshot.error());
            report_.snapshot = *id;
            voters_.back() = {*id == kBootstrapSnapshot ? Offset(-1) : id->end_offset + -1,
                              snapshot->kraft_version, snapshot->voters.value_or(VoterSet())};
        }
        if (report_.snapshot && *report_.snapshot != kBootstrapSnapshot) {
            report_.last_epoch = report_.snapshot->epoch;
            report_.log_start_offset = report_.log_end_offset = report_.snapshot->end_offset;
        }
        return ok();
    }

    Result<void> walk(const std::string& path, bool is_last) {
        TRY(const auto file, files_.open(path, env::OpenMode::read_only));
        TRY(const std::uint64_t size, file->size());
        SegmentWalk batches(*file, size);
        while (true) {
            TRY(const bool there_is_one, batches.advance());
            if (!there_is_one) break;
            TRY_VOID(take(path, batches.batch()));
            report_.last_timestamp = batches.timestamp();
        }
        report_.torn_bytes = size - batches.position();
        if (report_.torn_bytes == 0 || is_last) return ok();
        return fail(ErrorCode::corrupt_message,
                    fmt::format("{}: what lies at {} is no whole batch, and other segments follow",
                                path, batches.position()));
    }

    Result<void> take(const std::string& path, const Batch& batch) {
        if (next_ && batch.base_offset != *next_) {
            return fail(ErrorCode::corrupt_message,
                        fmt::format("{}: the batch at {} follows one that ends at {}", path,
                                    batch.base_offset, *next_));
        }
        if (!next_) report_.log_start_offset = batch.base_offset;
        next_ = batch.last_offset.next();
        // A log may end inside its snapshot: then the snapshot is the end.
        report_.log_end_offset = std::max(report_.log_end_offset, *next_);
        report_.last_epoch = std::max(report_.last_epoch, batch.epoch);
        if (batch.base_offset > voters_.front().offset) note_voters(batch, voters_);
        return ok();
    }

    env::FileSystem& files_;
    const std::string& directory_;
    DirectoryReport report_;
    std::vector<VotersAt> voters_{VotersAt{}};
    std::optional<Offset> next_;
};

/// The way from `from` to `self` alone, each step one voter more or less.
std::vector<VoterSet> steps_to(const VoterSet& from, const Voter& self) {
    auto voters = from.by_id();
    std::vector<VoterSet> steps;
    const auto add_step = [&] {
        std::vector<Voter> set;
        for (const auto& [id, voter] : voters) set.push_back(voter);
        steps.emplace_back(std::move(set));
    };
    const Voter* const there = from.find(self.key.id);
    if (there == nullptr || !from.contains(self.key)) {
        // Another directory under this id is another voter: it goes first.
        if (there != nullptr && voters.size() > 1) {
            voters.erase(self.key.id);
            add_step();
        }
        voters.insert_or_assign(self.key.id, self);
        add_step();
    }
    for (const BrokerId id : from.ids()) {
        if (id == self.key.id) continue;
        voters.erase(id);
        add_step();
    }
    return steps;
}

}  // namespace

Result<DirectoryReport> inspect_metadata_directory(env::FileSystem& files,
                                                   const std::string& directory) {
    return Inspection(files, directory).run();
}

Result<OnlyVoter> make_only_voter(env::Env& env, Logger logger, const std::string& directory,
                                  const Voter& self) {
    MetadataLogOptions options;
    options.directory = directory;
    TRY(const auto metadata_log, MetadataLog::open(env, std::move(logger), options));
    const RecoveredState& state = metadata_log->recovered();
    const VotersAt& current = state.voters.back();
    if (current.kraft_version < 1) {
        return fail(ErrorCode::invalid_request,
                    fmt::format("{}: the voters are configuration, not in the log", directory));
    }
    LeaderEpoch epoch = state.quorum.epoch;
    if (!state.epochs.empty()) epoch = std::max(epoch, state.epochs.back().epoch);
    // Those that are lost may have gone on for some epochs without this replica: what others took
    // from them must not look like this replica's.
    constexpr std::int32_t kEpochsUnheard = 1000;
    epoch = LeaderEpoch(epoch.value + kEpochsUnheard);
    // First the epoch: whatever happens then, this replica votes for nobody else in it.
    TRY_VOID(metadata_log->save({epoch, kNoBroker, self.key}, current.kraft_version, {}));

    std::vector<AnyControlRecord> records{
        LeaderChangeRecord{self.key.id, {self.key.id}, {self.key.id}}};
    if (current.offset < Offset(0)) {
        // So far only this node's bootstrap snapshot names them: the log must from here on.
        records.emplace_back(KRaftVersionRecord{current.kraft_version});
        records.emplace_back(VotersRecord{current.voters});
    }
    for (VoterSet& step : steps_to(current.voters, self))
        records.emplace_back(VotersRecord{std::move(step)});
    storage::Log& log = metadata_log->log();
    const Offset at = log.log_end_offset();
    TRY_VOID(log.append(BytesView(encode_control_batch(at, epoch, env.clock().wall(), records))));
    TRY_VOID(log.flush());
    TRY_VOID(log.close());
    return OnlyVoter{epoch, at, log.log_end_offset()};
}

}  // namespace milena::raft

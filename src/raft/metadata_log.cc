// SPDX-License-Identifier: Apache-2.0
// Finds out what is on disk: the snapshots, the log behind them, the epochs and voters in both,
// quorum-state; and takes out what is older than it must be.
#include "milena/raft/metadata_log.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "voter_history.h"

namespace milena::raft {

namespace {
constexpr std::uint64_t kScanBytes = 4ULL << 20;

/// Where the segment's batches end, if all are sound and follow each other from `base` on.
Result<std::optional<Offset>> end_of_segment(env::FileSystem& files, const std::string& path,
                                             Offset base) {
    TRY(const auto file, files.open(path, env::OpenMode::read_only));
    TRY(const std::uint64_t size, file->size());
    std::vector<std::byte> bytes(std::min(size, kScanBytes));
    for (std::uint64_t at = 0; at < size;) {
        TRY(const std::size_t read, file->read_at(at, bytes));
        const std::uint64_t began = at;
        for (BytesView rest = BytesView(bytes).first(read);;) {
            const auto batch = record::first_batch(rest);
            if (batch && !*batch) break;
            if (!batch || (*batch)->base_offset() != base || !(*batch)->check_crc())
                return std::nullopt;
            base = (*batch)->next_offset();
            at += (*batch)->size();
            rest = rest.subspan((*batch)->size());
        }
        if (at > began) continue;
        if (read == size - at) return std::nullopt;  // cut by the end of the file
        bytes.resize(std::min(size - at, 2 * bytes.size()));
    }
    return base;
}

/// First offsets of the segments in the directory, in order.
Result<std::vector<Offset>> list_segments(env::FileSystem& files, const std::string& directory) {
    std::vector<Offset> bases;
    TRY(const auto entries, files.list(directory));
    for (const env::DirectoryEntry& entry : entries) {
        std::int64_t base = 0;
        const char* const end = entry.name.data() + entry.name.size();
        const auto [rest, error] = std::from_chars(entry.name.data(), end, base);
        if (error == std::errc() && std::string_view(rest, end) == ".log") bases.emplace_back(base);
    }
    return bases;
}

/// Whether the directory has every record below `end`, from the first one on.
Result<bool> has_all_below(env::FileSystem& files, const std::string& directory, Offset end) {
    TRY(const std::vector<Offset> bases, list_segments(files, directory));
    if (bases.empty() || bases.front() != Offset(0)) return false;
    for (std::size_t i = 0; i + 1 < bases.size() && bases[i + 1] <= end; ++i) {
        const std::string path = fmt::format("{}/{:020}.log", directory, bases[i].value);
        TRY(const auto reached, end_of_segment(files, path, bases[i]));
        if (reached != bases[i + 1]) return false;
    }
    return true;
}

}  // namespace

Result<std::unique_ptr<MetadataLog>> MetadataLog::open(env::Env& env, Logger logger,
                                                       MetadataLogOptions options) {
    std::unique_ptr<MetadataLog> opened(new MetadataLog(env, std::move(options)));
    TRY_VOID(env::create_durable_directories(env.files(), opened->options_.directory));
    TRY_VOID(opened->remove_leftovers(logger));
    TRY_VOID(opened->find_snapshots(logger));
    TRY_VOID(opened->open_log(logger));
    TRY(opened->recovered_.quorum, read_quorum_state(env.files(), opened->options_.directory));
    TRY_VOID(opened->scan());
    return opened;
}

/// Snapshots that were being written or deleted.
Result<void> MetadataLog::remove_leftovers(Logger& logger) {
    TRY(const auto entries, env_.files().list(options_.directory));
    for (const env::DirectoryEntry& entry : entries) {
        if (!entry.name.ends_with(".checkpoint.part") &&
            !entry.name.ends_with(".checkpoint.deleted"))
            continue;
        LOG_INFO(logger, "removing what is left of a snapshot", kv("file", entry.name));
        const auto removed = env_.files().remove(options_.directory + "/" + entry.name);
        // It is in nobody's way.
        if (!removed) LOG_WARN(logger, "a leftover stays", kv("why", removed.error().why));
    }
    return ok();
}

/// The newest is read whole later.
Result<void> MetadataLog::find_snapshots(Logger& logger) {
    TRY(const auto ids, list_snapshots(env_.files(), options_.directory));
    for (const SnapshotId& id : ids) {
        const auto stored = inspect_snapshot(env_.files(), options_.directory, id);
        if (stored) {
            snapshots_.push_back(*stored);
        } else if (stored.error().code == ErrorCode::corrupt_message) {
            LOG_WARN(logger, "passing over a damaged snapshot", kv("why", stored.error().why));
            damage_ = stored.error();
            damaged_end_ = id.end_offset;
        } else {
            return std::unexpected(stored.error());
        }
    }
    return load_newest(logger);
}

Result<void> MetadataLog::load_newest(Logger& logger) {
    recovered_.voters.push_back({Offset(-1), 0, options_.static_voters});
    for (; !snapshots_.empty(); snapshots_.pop_back()) {
        const SnapshotId id = snapshots_.back().id;
        auto read = read_snapshot(env_.files(), options_.directory, id);
        if (read) {
            snapshot_ = *std::move(read);
            break;
        }
        if (read.error().code != ErrorCode::corrupt_message) return std::unexpected(read.error());
        LOG_WARN(logger, "passing over a damaged snapshot", kv("why", read.error().why));
        if (id.end_offset >= damaged_end_) damage_ = read.error();
        damaged_end_ = std::max(damaged_end_, id.end_offset);
    }
    if (!snapshot_) return ok();
    recovered_.snapshot = snapshot_->id;
    // Voters of the bootstrap snapshot are only here, not in any log: −1 says so.
    VotersAt& voters = recovered_.voters.back();
    voters.offset = snapshot_->id.end_offset + -1;
    voters.kraft_version = snapshot_->kraft_version;
    if (snapshot_->voters) voters.voters = *snapshot_->voters;
    return ok();
}

Result<void> MetadataLog::open_log(Logger& logger) {
    storage::LogOptions log_options;
    log_options.segment_bytes = options_.segment_bytes;
    log_options.segment_ms = options_.segment_ms;
    log_options.is_gapless = true;
    // Where records below the oldest snapshot are missing, what is left of them was on its way out:
    // a power loss may have left some of its segments and not others.
    storage::Recovery recovery;
    if (!snapshots_.empty()) {
        const Offset oldest_end = snapshots_.front().id.end_offset;
        TRY(const bool is_whole, has_all_below(env_.files(), options_.directory, oldest_end));
        if (!is_whole) recovery.log_start_offset = oldest_end;
    }
    TRY(log_, storage::Log::open(env_, logger, options_.directory, log_options, recovery));
    TRY_VOID(check_start(logger));
    return log_->flush();
}

Result<void> MetadataLog::check_start(Logger& logger) {
    const Offset snapshot_end = recovered_.snapshot ? recovered_.snapshot->end_offset : Offset(0);
    const Offset known_end = std::max(log_->log_end_offset(), snapshot_end);
    if (damage_ && (known_end < damaged_end_ || known_end == Offset(0))) {
        return fail(
            damage_->code,
            fmt::format("{}; the log ends at {} and does not have what was in it: bring the "
                        "file back, or make this replica anew",
                        damage_->why, log_->log_end_offset()));
    }
    if (recovered_.snapshot && !has_end_of(*recovered_.snapshot)) {
        // The log ends inside the snapshot, or is another than the one that it was made of, all of
        // whose records were committed: the log begins anew behind it.
        LOG_INFO(logger, "the metadata log begins at its snapshot", kv("end_offset", snapshot_end));
        TRY_VOID(log_->restart_at(snapshot_end));
    }
    if (log_->log_start_offset() > snapshot_end) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("{}: the log begins at {} but no snapshot reaches there{}",
                                options_.directory, log_->log_start_offset(),
                                damage_ ? "; " + damage_->why : ""));
    }
    // Those that end below the start are of no use to anybody; the next cleaning takes their files.
    std::erase_if(snapshots_, [&](const StoredSnapshot& snapshot) {
        return snapshot.id.end_offset < log_->log_start_offset();
    });
    if (!snapshots_.empty()) {
        const StoredSnapshot& snapshot = snapshots_.front();
        if (log_->log_start_offset() == Offset(0)) return ok();
        recovered_.log_start_snapshot = snapshot.id;
        return log_->raise_start(snapshot.id.end_offset);
    }
    return ok();
}

/// False if the log must begin anew to go on from the snapshot, as it must after a crash between
/// the two steps of taking in one that was fetched.
bool MetadataLog::has_end_of(const SnapshotId& snapshot) const {
    const Offset end = snapshot.end_offset;
    if (log_->log_end_offset() < end) return false;
    if (log_->log_start_offset() > end) return true;  // no snapshot reaches its beginning
    if (log_->log_start_offset() < end) return log_->epoch_at(end + -1) == snapshot.epoch;
    return log_->last_epoch() == kNoLeaderEpoch || log_->last_epoch() >= snapshot.epoch;
}

Result<void> MetadataLog::scan() {
    recovered_.log_start_offset = log_->log_start_offset();
    recovered_.log_end_offset = log_->log_end_offset();
    if (const auto& snapshot = recovered_.log_start_snapshot)
        recovered_.epochs.push_back({snapshot->epoch, snapshot->end_offset});
    for (Offset at = recovered_.log_start_offset; at < recovered_.log_end_offset;) {
        TRY(const Chunk chunk, read(at, recovered_.log_end_offset, kScanBytes));
        if (chunk.batches.empty()) {
            return fail(ErrorCode::corrupt_message,
                        fmt::format("{}: nothing at {} of a log that ends at {}",
                                    options_.directory, at, recovered_.log_end_offset));
        }
        for (const record::BatchView view : chunk.batches) {
            const Result<Batch> batch = describe(view);
            if (!batch) return fail_at(options_.directory, batch.error());
            if (recovered_.epochs.empty() || batch->epoch > recovered_.epochs.back().epoch) {
                recovered_.epochs.push_back({batch->epoch, batch->base_offset});
            }
            // A log may begin below its snapshot, which has the last word on what was before its
            // end.
            if (batch->base_offset > recovered_.voters.front().offset)
                note_voters(*batch, recovered_.voters);
            at = batch->last_offset.next();
        }
    }
    return ok();
}

Result<void> MetadataLog::save(const QuorumState& state, std::int16_t kraft_version,
                               const VoterSet& voters) {
    return env::replace_file(env_.files(), options_.directory + "/" + std::string(kQuorumStateFile),
                             encode_quorum_state(state, kraft_version, voters));
}

bool MetadataLog::must_go(const StoredSnapshot& snapshot, Timestamp now) const {
    std::uint64_t bytes = log_->size_bytes();
    for (const StoredSnapshot& one : snapshots_) bytes += one.bytes;
    const bool is_large = options_.retention_bytes >= 0 &&
                          bytes > static_cast<std::uint64_t>(options_.retention_bytes);
    const std::int64_t age = now.value - snapshot.last_contained_timestamp.value;
    return is_large || (options_.retention_ms >= 0 && age > options_.retention_ms);
}

std::optional<SnapshotId> MetadataLog::oldest_to_keep(Timestamp now) const {
    if (snapshots_.size() < 2 || !must_go(snapshots_.front(), now)) return std::nullopt;
    return snapshots_[1].id;
}

Result<void> MetadataLog::set_aside(const SnapshotId& id, std::vector<std::string>& files) {
    const std::string path = options_.directory + "/" + snapshot_file_name(id);
    const auto renamed = env_.files().rename(path, path + ".deleted");
    if (renamed) {
        files.push_back(path + ".deleted");
        return ok();
    }
    if (!env::is_out_of_space(renamed.error())) return std::unexpected(renamed.error());
    return env_.files().remove(path);  // a full disk has no room for a longer name
}

Result<MetadataLog::Cleaned> MetadataLog::clean(const SnapshotId& first) {
    Cleaned cleaned;
    // The snapshots first, durably: what is left of the log is judged by the oldest of them.
    const auto ids = list_snapshots(env_.files(), options_.directory);
    if (!ids) {
        cleaned.obstacle = ids.error();
        return cleaned;
    }
    for (const SnapshotId& id : *ids) {
        if (id >= first) continue;
        if (const auto taken = set_aside(id, cleaned.files); !taken) {
            cleaned.obstacle = taken.error();
            return cleaned;
        }
    }
    TRY_VOID(env_.files().sync_directory(options_.directory));
    std::erase_if(snapshots_, [&](const StoredSnapshot& one) { return one.id < first; });
    TRY_VOID(log_->raise_start(first.end_offset));
    const auto segments = log_->remove_old_segments(first.end_offset, SIZE_MAX);
    if (segments) {
        cleaned.files.insert(cleaned.files.end(), segments->begin(), segments->end());
    } else if (log_->offline() || !env::is_out_of_space(segments.error())) {
        return std::unexpected(segments.error());
    }
    // Else a full disk has no room for the segment that would follow: they go the next time.
    return cleaned;
}

Result<MetadataLog::Cleaned> MetadataLog::begin_at(const StoredSnapshot& snapshot) {
    // If it does not get as far as this, a start does it.
    TRY_VOID(log_->restart_at(snapshot.id.end_offset));
    snapshots_ = {snapshot};
    Cleaned cleaned;
    const auto ids = list_snapshots(env_.files(), options_.directory);
    if (!ids) cleaned.obstacle = ids.error();
    for (const SnapshotId& id : ids.value_or(std::vector<SnapshotId>())) {
        if (id.end_offset >= snapshot.id.end_offset) continue;
        if (const auto taken = set_aside(id, cleaned.files); !taken)
            cleaned.obstacle = taken.error();
    }
    return cleaned;
}

Result<MetadataLog::Chunk> MetadataLog::read(Offset from, Offset upper, std::uint64_t bytes_max) {
    TRY(const storage::FileRange range, log_->read(from, upper, bytes_max, true));
    Chunk chunk;
    if (range.length == 0) return chunk;
    chunk.bytes.resize(range.length);
    TRY(const std::size_t read, range.file->read_at(range.position, chunk.bytes));
    for (BytesView rest = BytesView(chunk.bytes).first(read); !rest.empty();) {
        TRY(const auto batch, record::first_batch(rest));
        if (!batch) break;  // Cut by the limit.
        rest = rest.subspan(batch->size());
        // The first batch holds `from`, but may begin below it if a log start lies within.
        if (batch->base_offset() >= from && batch->next_offset() <= upper)
            chunk.batches.push_back(*batch);
    }
    return chunk;
}

}  // namespace milena::raft

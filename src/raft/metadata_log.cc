// SPDX-License-Identifier: Apache-2.0
// Finds out what is on disk: the newest snapshot, the log behind it, the epochs and voters in both,
// quorum-state.
#include "milena/raft/metadata_log.h"

#include <algorithm>

#include <fmt/format.h>

#include "voter_history.h"

namespace milena::raft {

namespace {
constexpr std::uint64_t kScanBytes = 4ULL << 20;
}  // namespace

Result<std::unique_ptr<MetadataLog>> MetadataLog::open(env::Env& env, Logger logger,
                                                       MetadataLogOptions options) {
    std::unique_ptr<MetadataLog> opened(new MetadataLog(env, std::move(options)));
    TRY_VOID(env::create_durable_directories(env.files(), opened->options_.directory));
    TRY_VOID(opened->remove_leftovers(logger));
    TRY_VOID(opened->load_snapshot());
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
        TRY_VOID(env_.files().remove(options_.directory + "/" + entry.name));
    }
    return ok();
}

Result<void> MetadataLog::load_snapshot() {
    recovered_.voters.push_back({Offset(-1), 0, options_.static_voters});
    TRY(const auto ids, list_snapshots(env_.files(), options_.directory));
    if (ids.empty()) return ok();
    TRY(snapshot_, read_snapshot(env_.files(), options_.directory, ids.back()));
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
    log_options.is_gapless = true;
    TRY(log_,
        storage::Log::open(env_, logger, options_.directory, log_options, storage::Recovery{}));
    const Offset snapshot_end = recovered_.snapshot ? recovered_.snapshot->end_offset : Offset(0);
    if (log_->log_end_offset() < snapshot_end) {
        // The log ends inside the snapshot, all of whose records were committed: the log begins
        // anew behind it.
        LOG_INFO(logger, "the metadata log begins at its snapshot", kv("end_offset", snapshot_end));
        TRY_VOID(log_->restart_at(snapshot_end));
    }
    if (log_->log_start_offset() > snapshot_end) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("{}: the log begins at {} but no snapshot reaches there",
                                options_.directory, log_->log_start_offset()));
    }
    return log_->flush();
}

Result<void> MetadataLog::scan() {
    recovered_.log_start_offset = log_->log_start_offset();
    recovered_.log_end_offset = log_->log_end_offset();
    const std::optional<SnapshotId>& snapshot = recovered_.snapshot;
    if (snapshot && snapshot->end_offset > Offset(0) &&
        recovered_.log_start_offset == snapshot->end_offset) {
        recovered_.epochs.push_back({snapshot->epoch, snapshot->end_offset});
    }
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

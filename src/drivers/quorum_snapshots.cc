// SPDX-License-Identifier: Apache-2.0
// Snapshots of the metadata log: written in the disk pool while the quorum goes on, sent to others
// in pieces, fetched from the leader, and the removal of what they make superfluous, which takes
// its turn among what is done to the log.
#include <algorithm>

#include <fmt/format.h>

#include "milena/base/invariant.h"
#include "quorum_node.h"

namespace milena::drivers {

/// What a snapshot says besides the records, if it may be written at all.
Result<raft::SnapshotHead> QuorumNode::snapshot_head(const SnapshotContent& content) const {
    const raft::SnapshotId id{content.end_offset, content.epoch};
    if (!started_ || stopping_ || failure_)
        return fail(ErrorCode::not_controller, "the quorum of this node has ended");
    if (writing_snapshot_ || !core_.may_snapshot(id)) {
        return fail(ErrorCode::invalid_request,
                    fmt::format("no snapshot {} can be made now", raft::snapshot_file_name(id)));
    }
    const raft::VotersAt& voters = core_.voters_at(content.end_offset);
    return raft::SnapshotHead{.id = id,
                              .last_contained_timestamp = content.last_contained_timestamp,
                              .kraft_version = voters.kraft_version,
                              .voters = voters.voters,
                              .now = env_.clock().wall()};
}

Result<raft::StoredSnapshot> QuorumNode::write_content(const SnapshotContent& content,
                                                       raft::SnapshotHead head) const {
    TRY(auto writer,
        raft::SnapshotWriter::create(env_.files(), options_.directory, std::move(head)));
    Result<void> written = ok();
    const auto is_abandoned = [this] {
        return abandons_snapshot_.with([](const bool& abandons) { return abandons; });
    };
    content.records([&](std::vector<std::byte> value) {
        if (written && !is_abandoned()) written = writer.append(std::move(value));
    });
    TRY_VOID(std::move(written));
    if (is_abandoned()) return fail(ErrorCode::not_controller, "the quorum has stopped");
    return writer.finish();
}

env::Task<Result<std::uint64_t>> QuorumNode::write_snapshot(SnapshotContent content) {
    CO_TRY(const raft::SnapshotHead head, snapshot_head(content));
    const auto self = shared_from_this();
    writing_snapshot_ = true;
    ++background_;
    Result<raft::StoredSnapshot> stored = fail(ErrorCode::unknown_server_error, "not written");
    co_await env_.offload(env::Pool::disk, [&] { stored = self->write_content(content, head); });
    --background_;
    work_ready_.notify();
    if (failure_) co_return std::unexpected(*failure_);
    if (!stored) {
        writing_snapshot_ = false;
        co_return std::unexpected(stored.error());
    }
    if (!newest_snapshot_ || newest_snapshot_->id < stored->id) newest_snapshot_ = *stored;
    queue(*stored);
    co_return stored->bytes;
}

env::Task<Result<void>> QuorumNode::perform(raft::StoredSnapshot snapshot) {
    writing_snapshot_ = false;
    if (!core_.may_snapshot(snapshot.id)) {
        // A newer one was fetched meanwhile, and the log begins behind this.
        remove_later({options_.directory + "/" + raft::snapshot_file_name(snapshot.id)});
        co_return ok();
    }
    metadata_log_->note_snapshot(snapshot);
    step_and_queue(raft::SnapshotTaken{snapshot.id});
    co_return co_await perform(Clean{});
}

env::Task<Result<void>> QuorumNode::perform(Clean) {
    std::vector<std::string> files;
    std::optional<Error> obstacle;
    while (!stopping_ && !obstacle) {
        const auto id = metadata_log_->oldest_to_keep(env_.clock().wall());
        if (!id) break;
        Result<raft::MetadataLog::Cleaned> cleaned;
        co_await env_.offload(env::Pool::quorum, [&] { cleaned = metadata_log_->clean(*id); });
        if (!cleaned) co_return fail_at("cleaning the metadata log", cleaned.error());
        files.insert(files.end(), cleaned->files.begin(), cleaned->files.end());
        obstacle = cleaned->obstacle;
        if (obstacle) break;
        if (served_ && served_->id < *id) served_.reset();
        step_and_queue(raft::LogCleaned{*id});
    }
    if (obstacle) {
        LOG_WARN(log_, "could not clean the metadata log; trying again in a minute",
                 kv("why", obstacle->why));
    }
    if (files.empty()) co_return ok();
    LOG_INFO(log_, "cleaned the metadata log", kv("log_start", core_.log_start_offset()),
             kv("files", files.size()));
    remove_later(std::move(files));
    co_return ok();
}

void QuorumNode::remove_later(std::vector<std::string> paths) {
    ++background_;
    env::spawn(env_.control(), remove(shared_from_this(), std::move(paths)));
}

/// Files of which nobody knows any more; a start removes those that are left.
env::Task<void> QuorumNode::remove(std::shared_ptr<QuorumNode> self,
                                   std::vector<std::string> paths) {
    Result<void> removed = ok();
    co_await self->env_.offload(env::Pool::disk, [&] {
        for (const std::string& path : paths) {
            if (auto one = self->env_.files().remove(path); !one) removed = std::move(one);
        }
    });
    if (!removed) {
        LOG_WARN(self->log_, "could not remove old files of the metadata log",
                 kv("why", removed.error().why));
    }
    --self->background_;
    self->work_ready_.notify();
}

Result<void> QuorumNode::write_chunk(const raft::SnapshotChunk& chunk) {
    if (chunk.position == raft::BytePosition(0)) {
        download_.reset();
        TRY(auto begun,
            raft::SnapshotDownload::begin(env_.files(), options_.directory, chunk.id,
                                          static_cast<std::uint64_t>(chunk.size.value)));
        download_.emplace(std::move(begun));
    }
    INVARIANT(download_ && download_->id() == chunk.id, "a piece of what is not being fetched");
    return download_->write(static_cast<std::uint64_t>(chunk.position.value), *chunk.bytes);
}

/// False if it could not be written: a full disk is no reason to end.
env::Task<bool> QuorumNode::take_chunk(const raft::SnapshotChunk& chunk) {
    if (chunk.position == raft::BytePosition(0)) {
        LOG_INFO(log_, "fetching a snapshot of the metadata log",
                 kv("end_offset", chunk.id.end_offset), kv("bytes", chunk.size),
                 kv("leader", core_.view().leader));
    }
    Result<void> written = ok();
    co_await env_.offload(env::Pool::quorum, [&] {
        written = write_chunk(chunk);
        if (!written) download_.reset();
    });
    if (!written) step_and_queue(raft::SnapshotRefused{chunk.id, written.error().why});
    co_return written.has_value();
}

/// An error is one of the log, or of a snapshot of which nobody knows whether it is there.
env::Task<Result<void>> QuorumNode::load_snapshot(raft::SnapshotId id) {
    while (syncing_) co_await work_ready_.wait_until(env::kNever);
    Result<raft::Snapshot> checked;
    Result<raft::MetadataLog::Cleaned> begun;
    raft::StoredSnapshot stored{.id = id, .bytes = 0, .last_contained_timestamp = {}};
    co_await env_.offload(env::Pool::quorum, [&] {
        checked = download_->check();
        if (checked) {
            stored.bytes = checked->bytes.size();
            stored.last_contained_timestamp = checked->last_contained_timestamp;
            Result<void> published = download_->publish();
            begun = published ? metadata_log_->begin_at(stored)
                              : std::unexpected(std::move(published).error());
        }
        download_.reset();
    });
    if (!checked) {
        step_and_queue(raft::SnapshotRefused{id, checked.error().why});
        co_return ok();
    }
    if (!begun) co_return fail_at("loading a snapshot of the metadata log", begun.error());
    raft::VotersAt voters{
        .offset = id.end_offset + -1,
        .kraft_version = checked->kraft_version,
        .voters = checked->voters.value_or(raft::VoterSet(options_.static_voters))};
    step_and_queue(raft::SnapshotLoaded{id, std::move(voters)});
    LOG_INFO(log_, "the metadata log begins at a snapshot of the leader",
             kv("end_offset", id.end_offset), kv("bytes", stored.bytes));
    newest_snapshot_ = stored;
    delivered_ = committed_ = warm_from_ = id.end_offset;
    deliver_snapshot(*checked);
    if (!begun->files.empty()) remove_later(std::move(begun->files));
    co_return ok();
}

/// What is sent of the snapshot that the response names, or why not.
env::Task<storage::FileRange> QuorumNode::find_bytes(raft::FetchSnapshotResponse& response,
                                                     std::uint64_t bytes_max) {
    if (response.error != ErrorCode::none) co_return storage::FileRange{};
    const auto& known = metadata_log_->snapshots();
    const auto found = std::ranges::find(known, response.snapshot, &raft::StoredSnapshot::id);
    if (found == known.end()) {
        response.error = ErrorCode::snapshot_not_found;
        co_return storage::FileRange{};
    }
    const std::uint64_t size = found->bytes;
    const auto position = static_cast<std::uint64_t>(response.position.value);
    if (position >= size) {
        response.error = ErrorCode::position_out_of_range;
        co_return storage::FileRange{};
    }
    if (!served_ || served_->id != response.snapshot) {
        Result<std::unique_ptr<env::File>> opened;
        co_await env_.offload(env::Pool::quorum, [&] {
            opened = env_.files().open(
                options_.directory + "/" + raft::snapshot_file_name(response.snapshot),
                env::OpenMode::read_only);
        });
        if (!opened) {
            LOG_WARN(log_, "could not read a snapshot for another replica",
                     kv("why", opened.error().why));
            response.error = ErrorCode::kafka_storage_error;
            co_return storage::FileRange{};
        }
        served_ = Served{response.snapshot, *std::move(opened)};
    }
    response.size = raft::BytePosition(static_cast<std::int64_t>(size));
    const std::uint64_t length = std::min(bytes_max, size - position);
    if (length == 0) co_return storage::FileRange{};
    co_return storage::FileRange{served_->file, position, length};
}

std::optional<StoredMetadataSnapshot> QuorumNode::newest_snapshot() const {
    if (!newest_snapshot_) return std::nullopt;
    return StoredMetadataSnapshot{newest_snapshot_->id.end_offset, newest_snapshot_->bytes,
                                  newest_snapshot_->last_contained_timestamp};
}

}  // namespace milena::drivers

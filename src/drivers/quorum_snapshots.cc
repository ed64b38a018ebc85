// SPDX-License-Identifier: Apache-2.0
// Snapshots of the metadata log: written in the disk pool while the quorum goes on, and the removal
// of what they make superfluous, which takes its turn among what is done to the log.
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
    newest_snapshot_ = *stored;
    others_registered_ =
        std::ranges::any_of(content.nodes, [&](BrokerId id) { return id != options_.node_id; });
    queue(*stored);
    co_return stored->bytes;
}

env::Task<Result<void>> QuorumNode::perform(raft::StoredSnapshot snapshot) {
    writing_snapshot_ = false;
    metadata_log_->note_snapshot(snapshot);
    step_and_queue(raft::SnapshotTaken{snapshot.id});
    return perform(Clean{});
}

/// True if another node may yet ask for any record of the log: nobody is sent a snapshot.
bool QuorumNode::keeps_log() const {
    // Who has no vote, and can't get one, never leads and is asked for nothing.
    if (core_.voters().find(options_.node_id) == nullptr && options_.endpoints.empty())
        return false;
    if (core_.voters().size() > 1 || others_registered_) return true;
    const std::vector<raft::ReplicaProgress> others = core_.progress();
    return std::ranges::any_of(others, [](const auto& one) { return one.key.id >= BrokerId(0); });
}

env::Task<Result<void>> QuorumNode::perform(Clean) {
    std::vector<std::string> files;
    std::optional<Error> obstacle;
    while (!stopping_ && !obstacle) {
        const bool keeps = keeps_log();
        const Timestamp now = env_.clock().wall();
        const auto id =
            keeps ? metadata_log_->superfluous(now) : metadata_log_->oldest_to_keep(now);
        if (!id) break;
        Result<raft::MetadataLog::Cleaned> cleaned;
        co_await env_.offload(env::Pool::quorum, [&] {
            if (keeps) {
                cleaned = metadata_log_->take_out(*id);
            } else {
                cleaned = metadata_log_->clean(*id);
            }
        });
        if (!cleaned) co_return fail_at("cleaning the metadata log", cleaned.error());
        files.insert(files.end(), cleaned->files.begin(), cleaned->files.end());
        obstacle = cleaned->obstacle;
        if (!obstacle && !keeps) step_and_queue(raft::LogCleaned{*id});
    }
    if (obstacle) {
        LOG_WARN(log_, "could not clean the metadata log; trying again in a minute",
                 kv("why", obstacle->why));
    }
    if (files.empty()) co_return ok();
    LOG_INFO(log_, "cleaned the metadata log", kv("log_start", core_.log_start_offset()),
             kv("files", files.size()));
    ++background_;
    env::spawn(env_.control(), remove(shared_from_this(), std::move(files)));
    co_return ok();
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

std::optional<StoredMetadataSnapshot> QuorumNode::newest_snapshot() const {
    if (!newest_snapshot_) return std::nullopt;
    return StoredMetadataSnapshot{newest_snapshot_->id.end_offset, newest_snapshot_->bytes,
                                  newest_snapshot_->last_contained_timestamp};
}

}  // namespace milena::drivers

// SPDX-License-Identifier: Apache-2.0
// Snapshots from replica to replica (KIP-630). Whoever is told by the answer to a fetch that its
// log can only go on behind a snapshot asks the leader for it, piece by piece, and then begins its
// log anew at the snapshot's end. Another leader's snapshot of the same end has other bytes: with
// every change of role the download begins anew.
#include <fmt/format.h>

#include "milena/base/invariant.h"
#include "replica.h"

namespace milena::raft {

/// The leader's side. Whether the snapshot is there, and how long it is, is for whoever has the
/// files.
FetchSnapshotResponse Replica::on_request(const FetchSnapshotRequest& request, Instant now) {
    FetchSnapshotResponse answer;
    answer.error = refuse_fetch(request.current_leader_epoch);
    answer.view = answer_view();
    answer.snapshot = request.snapshot;
    answer.position = request.position;
    if (answer.error != ErrorCode::none) return answer;
    // Each replica has its own of the bootstrap.
    const bool may_be_there = snapshot_ && request.snapshot.end_offset > Offset(0) &&
                              request.snapshot.end_offset <= snapshot_->end_offset;
    if (!may_be_there) {
        answer.error = ErrorCode::snapshot_not_found;
    } else if (request.position < BytePosition(0)) {
        answer.error = ErrorCode::position_out_of_range;
    } else {
        // It says nothing of its log, but that it is there.
        progress_of(request.replica, now);
    }
    return answer;
}

void Replica::begin_download(const SnapshotId& id, Instant now) {
    const bool is_new = id.end_offset > high_watermark_.value_or(Offset(0)) &&
                        id.epoch >= LeaderEpoch(0) && id.epoch <= state_.epoch;
    if (!is_new) {
        // What this replica knows to be committed would go back.
        give_up_download(fmt::format("leader {} wants a log that is committed up to {} to begin "
                                     "anew at its snapshot {}-{}",
                                     state_.leader, high_watermark_.value_or(Offset(0)),
                                     id.end_offset, id.epoch),
                         now);
    } else if (now < next_download_) {
        // The fetch was a sign of life.
        flights_[state_.leader].not_before =
            std::min(next_download_, now + options_.fetch_timeout / 2);
    } else {
        download_ = Download{.id = id};
    }
}

void Replica::send_snapshot_fetch(Instant now) {
    send(state_.leader,
         FetchSnapshotRequest{.current_leader_epoch = state_.epoch,
                              .replica = options_.self,
                              .snapshot = download_->id,
                              .position = download_->next},
         now);
}

void Replica::on_response(BrokerId from, const FetchSnapshotResponse& response, Instant now) {
    if (role_ != Role::follower || from != state_.leader || !download_) return;
    const bool is_gone = response.error == ErrorCode::snapshot_not_found ||
                         response.error == ErrorCode::position_out_of_range;
    // The leader may have a newer one by now, and says so to a fetch; Apache Kafka's has one answer
    // to all that it refuses, UNKNOWN_SERVER_ERROR without an epoch.
    if (response.error != ErrorCode::none) download_.reset();
    if (response.view.epoch != state_.epoch || !(response.error == ErrorCode::none || is_gone))
        return;
    role_deadline_ = now + options_.fetch_timeout;
    fetched_from_leader_ = true;
    if (is_gone) return;
    if (fits_download(response)) {
        take_chunk(response);
    } else {
        give_up_download(
            fmt::format("leader {} sent {} bytes at {} of {} of snapshot {}-{}, of which {} of {} "
                        "are there",
                        from, response.bytes ? response.bytes->size() : 0, response.position,
                        response.size, response.snapshot.end_offset, response.snapshot.epoch,
                        download_->next, download_->size),
            now);
    }
}

bool Replica::fits_download(const FetchSnapshotResponse& response) const {
    if (response.snapshot != download_->id || response.position != download_->next) return false;
    const bool is_size_known = download_->next > BytePosition(0);
    if (is_size_known ? response.size != download_->size : response.size > kSnapshotSizeMax)
        return false;
    if (!response.bytes || response.bytes->empty()) return false;
    return static_cast<std::int64_t>(response.bytes->size()) <=
           response.size.value - response.position.value;
}

void Replica::take_chunk(const FetchSnapshotResponse& response) {
    INVARIANT(output_.appends.empty() && durable_end_ == log_end_,
              "a snapshot while appends are on their way");
    output_.snapshot_chunk = SnapshotChunk{.id = response.snapshot,
                                           .position = response.position,
                                           .size = response.size,
                                           .bytes = response.bytes};
    download_->size = response.size;
    download_->next.value += static_cast<std::int64_t>(response.bytes->size());
    if (download_->next < download_->size) return;
    output_.load_snapshot = loading_ = download_->id;
    download_.reset();
}

/// Another try now would end as this one did.
void Replica::give_up_download(std::string why, Instant now) {
    complain(std::move(why));
    download_.reset();
    next_download_ = now + options_.fetch_timeout;
    if (role_ == Role::follower)
        flights_[state_.leader].not_before = now + options_.fetch_timeout / 2;
}

void Replica::on(const SnapshotLoaded& event, Instant now) {
    INVARIANT(loading_ == event.id, "a snapshot that was not asked for");
    INVARIANT(output_.appends.empty() && durable_end_ == log_end_,
              "a log that was written while it began anew");
    loading_.reset();
    const Offset end = event.id.end_offset;
    INVARIANT(end >= high_watermark_.value_or(Offset(0)), "what is committed goes back");
    log_start_ = log_end_ = appended_end_ = durable_end_ = end;
    epochs_ = EpochHistory(std::vector<EpochStart>{{event.id.epoch, end}});
    voter_history_ = VoterHistory(std::vector<VotersAt>{event.voters});
    snapshot_ = log_start_snapshot_ = event.id;
    move_high_watermark(end);
    if (role_ == Role::follower) role_deadline_ = now + options_.fetch_timeout;
}

void Replica::on(const SnapshotRefused& event, Instant now) {
    const bool is_current = loading_ == event.id || (download_ && download_->id == event.id);
    if (!is_current) return;
    loading_.reset();
    give_up_download(fmt::format("snapshot {}-{} of the leader: {}", event.id.end_offset,
                                 event.id.epoch, event.why),
                     now);
}

}  // namespace milena::raft

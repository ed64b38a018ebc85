// SPDX-License-Identifier: Apache-2.0
// Fetches, both sides. A replica asks for what comes after its durable end, and by that
// acknowledges what comes before; the leader answers with records, with where their logs part, or
// keeps the fetch until there is news.
#include <algorithm>

#include <fmt/format.h>

#include "milena/base/invariant.h"
#include "replica.h"

namespace milena::raft {

ErrorCode Replica::refuse_fetch(LeaderEpoch current_leader_epoch) const {
    if (shutting_down_ || failed_) return ErrorCode::broker_not_available;
    if (current_leader_epoch < state_.epoch) return ErrorCode::fenced_leader_epoch;
    if (current_leader_epoch > state_.epoch) return ErrorCode::unknown_leader_epoch;
    if (role_ != Role::leader) return ErrorCode::not_leader_or_follower;
    return ErrorCode::none;
}

std::optional<FetchResponse> Replica::refuse_fetch(const FetchRequest& request) const {
    FetchResponse refusal;
    refusal.error = refuse_fetch(request.current_leader_epoch);
    if (request.fetch_offset < Offset(0) && refusal.error != ErrorCode::broker_not_available)
        refusal.error = ErrorCode::invalid_request;
    if (refusal.error == ErrorCode::none) return std::nullopt;
    refusal.view = answer_view();
    return refusal;
}

/// As Kafka judges it: a log that ends before this one begins, or whose last record can't be the
/// one before this log's first, goes on from a snapshot.
bool Replica::needs_snapshot(Offset from, LeaderEpoch epoch) const {
    if (from < log_start_) return true;
    if (!log_start_snapshot_) return false;
    const LeaderEpoch before_start = log_start_snapshot_->epoch;
    return epoch < before_start || (from == log_start_ && epoch != before_start);
}

FetchResponse Replica::answer_fetch(const FetchRequest& request) const {
    FetchResponse answer;
    answer.view = answer_view();
    // What was committed before this epoch others may know better: a replica of Apache Kafka that
    // knows of more ends its process.
    if (high_watermark_ && *high_watermark_ > epoch_start_)
        answer.high_watermark = *high_watermark_;
    answer.log_start_offset = log_start_;
    const Offset from = request.fetch_offset;
    const LeaderEpoch epoch = std::max(request.last_fetched_epoch, LeaderEpoch(0));
    const bool from_the_first = from == Offset(0) && epoch == LeaderEpoch(0) && log_start_ == from;
    const bool from_snapshot =
        snapshot_ && from == snapshot_->end_offset && epoch == snapshot_->epoch;
    if (needs_snapshot(from, epoch)) {
        answer.snapshot = snapshot_;
        if (!snapshot_) answer.error = ErrorCode::offset_out_of_range;
        return answer;
    }
    if (!from_the_first && !from_snapshot) {
        const std::optional<EpochEnd> end = epochs_.end_of(epoch, appended_end_);
        if (!end) {
            answer.diverging = EpochEnd{LeaderEpoch(0), log_start_};
        } else if (end->epoch != epoch || end->end_offset < from) {
            answer.diverging = end;
        }
    }
    if (!answer.diverging) answer.read_end = std::max(appended_end_, from);
    return answer;
}

bool Replica::has_news(const FetchRequest& request) const {
    const FetchResponse answer = answer_fetch(request);
    return answer.diverging || answer.snapshot || answer.error != ErrorCode::none ||
           answer.read_end > request.fetch_offset || request.high_watermark < answer.high_watermark;
}

/// What is known of it, with this sign of life; null for one of whom nothing is to be known.
Replica::Progress* Replica::progress_of(const ReplicaKey& replica, Instant now) {
    // No replica, but somebody who reads the log: nothing is known of it, or of another like it.
    if (replica.id < BrokerId(0)) return nullptr;
    Progress* progress = nullptr;
    if (voters().contains(replica)) {
        const auto voter = progress_.find(replica.id);
        if (voter != progress_.end()) progress = &voter->second;
    } else {
        std::erase_if(observers_, [&](const auto& one) {
            return now - one.second.last_fetch > kObserverSession;
        });
        if (observers_.contains(replica) || observers_.size() < kObserversMax) {
            progress = &observers_[replica];
        }
    }
    if (progress == nullptr) return nullptr;
    progress->last_fetch = now;
    progress->announce_at = now + options_.fetch_timeout / 2;
    return progress;
}

void Replica::note_progress(const FetchRequest& request, Instant now) {
    Progress* const progress = progress_of(request.replica, now);
    if (progress == nullptr) return;
    progress->fetched_at = now;
    const FetchResponse answer = answer_fetch(request);
    // Who needs a snapshot has been away too long to be a voter at once.
    if (answer.snapshot) progress->caught_up_at.reset();
    if (answer.diverging || answer.snapshot || answer.error != ErrorCode::none) return;
    progress->durable_end = request.fetch_offset;
    if (request.fetch_offset >= log_end_) progress->caught_up_at = now;
}

std::vector<ReplicaProgress> Replica::progress() const {
    std::vector<ReplicaProgress> all;
    const auto add = [&](const ReplicaKey& key, const Progress& one, bool is_voter) {
        if (one.fetched_at)
            all.push_back({key, one.durable_end, one.fetched_at, one.caught_up_at, is_voter});
    };
    for (const auto& [id, one] : progress_) add(voters().find(id)->key, one, true);
    for (const auto& [key, one] : observers_) add(key, one, false);
    return all;
}

void Replica::on_fetch(RequestId id, const FetchRequest& request, Instant now) {
    if (auto refusal = refuse_fetch(request)) {
        output_.replies.push_back({id, *std::move(refusal)});
        return;
    }
    note_progress(request, now);
    advance_high_watermark();
    if (has_news(request) || request.max_wait <= Duration::zero()) {
        output_.replies.push_back({id, answer_fetch(request)});
    } else {
        park(id, request, now);
    }
}

void Replica::park(RequestId id, const FetchRequest& request, Instant now) {
    // Those that read the log without being a replica have no name of their own.
    const bool is_replica = request.replica.id >= BrokerId(0);
    const auto old = std::find_if(parked_.begin(), parked_.end(), [&](const ParkedFetch& parked) {
        return is_replica && parked.request.replica == request.replica;
    });
    const Instant deadline = now + std::min(request.max_wait, options_.request_timeout);
    if (old != parked_.end()) {
        // Its connection has gone, or it would not ask again.
        output_.replies.push_back({old->id, answer_fetch(old->request)});
        *old = {id, request, deadline};
    } else if (parked_.size() < kParkedFetchesMax) {
        parked_.push_back({id, request, deadline});
    } else {
        output_.replies.push_back({id, answer_fetch(request)});
    }
}

void Replica::answer_parked(Instant now) {
    std::erase_if(parked_, [&](const ParkedFetch& parked) {
        if (auto refusal = refuse_fetch(parked.request)) {
            output_.replies.push_back({parked.id, *std::move(refusal)});
            return true;
        }
        if (!has_news(parked.request) && now < parked.deadline) return false;
        output_.replies.push_back({parked.id, answer_fetch(parked.request)});
        return true;
    });
}

void Replica::advance_fetch(Instant now) {
    if (failed_ || shutting_down_ || loading_) return;
    if (role_ == Role::follower) {
        if (leader_high_watermark_ >= Offset(0)) {
            move_high_watermark(std::min(leader_high_watermark_, appended_end_));
        }
        if (!can_send(state_.leader, now)) return;
        if (now >= own_entry_due_) {
            own_entry_due_ = now + options_.fetch_timeout;
            if (auto wanted = wanted_change()) return send(state_.leader, *std::move(wanted), now);
        }
        // What is not durable yet must not be acknowledged.
        if (durable_end_ != log_end_) return;
        if (download_) {
            send_snapshot_fetch(now);
        } else {
            send_fetch(state_.leader, now);
        }
    } else if (role_ == Role::unattached) {
        ask_for_leader(now);
    }
}

void Replica::ask_for_leader(Instant now) {
    if (durable_end_ != log_end_) return;
    for (const auto& [id, flight] : flights_) {
        if (flight.id) return;
    }
    std::vector<BrokerId> ids = voters().ids();
    for (std::size_t i = 0; i < options_.bootstrap_servers; ++i) ids.push_back(bootstrap_server(i));
    for (std::size_t tried = 0; tried < ids.size(); ++tried) {
        const BrokerId to = ids[next_asked_++ % ids.size()];
        if (to == options_.self.id || !can_send(to, now)) continue;
        send_fetch(to, now);
        return;
    }
}

void Replica::send_fetch(BrokerId to, Instant now) {
    send(to,
         FetchRequest{.current_leader_epoch = state_.epoch,
                      .replica = options_.self,
                      .fetch_offset = log_end_,
                      .last_fetched_epoch = std::max(epochs_.last_epoch(), LeaderEpoch(0)),
                      .high_watermark = high_watermark_.value_or(Offset(-1)),
                      .max_wait = options_.fetch_max_wait},
         now);
}

void Replica::on_response(BrokerId from, const FetchResponse& response, Instant now) {
    if (role_ != Role::follower || from != state_.leader || response.error != ErrorCode::none) {
        return;
    }
    if (response.view.epoch != state_.epoch) return;
    role_deadline_ = now + options_.fetch_timeout;
    fetched_from_leader_ = true;
    if (response.diverging) {
        truncate_to_leader(*response.diverging, now);
    } else if (response.snapshot) {
        begin_download(*response.snapshot, now);
    } else if (take_batches(response)) {
        leader_high_watermark_ = std::max(leader_high_watermark_, response.high_watermark);
    } else {
        back_off(from, now);
    }
}

void Replica::truncate_to_leader(const EpochEnd& diverging, Instant now) {
    const std::optional<EpochEnd> local = epochs_.end_of(diverging.epoch, log_end_);
    // Without a local epoch as old as the leader's, nothing of this log is the leader's.
    Offset end = log_start_;
    if (local && local->epoch == diverging.epoch) {
        end = std::max(end, std::min(local->end_offset, diverging.end_offset));
    } else if (local) {
        end = std::max(end, local->end_offset);
    }
    if (end >= log_end_ || (high_watermark_ && end < *high_watermark_)) {
        // A committed record can't diverge: a voter has lost its disk, or this is no leader of this
        // quorum.
        complain(fmt::format(
            "leader {} wants the log cut at {}, which ends at {} and is committed up to {}",
            state_.leader, end, log_end_, high_watermark_.value_or(Offset(-1))));
        back_off(state_.leader, now);
        return;
    }
    INVARIANT(output_.appends.empty() && durable_end_ == log_end_,
              "a cut while appends are on their way");
    output_.truncate_to = end;
    log_end_ = appended_end_ = durable_end_ = end;
    epochs_.truncate(end);
    // The last record below may be one that only the snapshot has.
    if (snapshot_ && snapshot_->end_offset == end && epochs_.last_epoch() < snapshot_->epoch) {
        epochs_.note(snapshot_->epoch, end);
    }
    voter_history_.truncate(end);
}

bool Replica::take_batches(const FetchResponse& response) {
    for (const Batch& batch : response.batches) {
        const bool fits = batch.base_offset == log_end_ && batch.last_offset >= batch.base_offset &&
                          batch.epoch >= std::max(epochs_.last_epoch(), LeaderEpoch(0)) &&
                          batch.epoch <= state_.epoch;
        if (!fits) {
            complain(fmt::format("leader {} sent {} after a log that ends at {} in epoch {}",
                                 state_.leader, batch.text(), log_end_, epochs_.last_epoch()));
            return false;
        }
        append(batch);
    }
    return true;
}

}  // namespace milena::raft

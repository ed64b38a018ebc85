// SPDX-License-Identifier: Apache-2.0
// One event: its own effect first, then whatever has become due or possible by it, then the time of
// the next look.
#include "replica.h"

#include <algorithm>

#include "milena/base/invariant.h"

namespace milena::raft {

Replica::Replica(CoreOptions options, RecoveredState recovered)
    : options_(options),
      random_state_(options.seed),
      state_(recovered.quorum),
      log_start_(recovered.log_start_offset),
      log_end_(recovered.log_end_offset),
      appended_end_(recovered.log_end_offset),
      durable_end_(recovered.log_end_offset),
      epochs_(std::move(recovered.epochs)),
      voter_history_(std::move(recovered.voters)),
      snapshot_(recovered.snapshot),
      log_start_snapshot_(recovered.log_start_snapshot),
      last_request_id_(options.first_request_id) {
    // What a snapshot holds, or what was cut off for one, was committed.
    if (snapshot_) high_watermark_ = std::max(snapshot_->end_offset, log_start_);
    INVARIANT(log_start_ <= log_end_, "a log that ends before it starts");
}

Output Replica::step(const Event& event, Instant now) {
    output_ = Output{};
    std::visit([&](const auto& one) { on(one, now); }, event);
    advance(now);
    note_leadership();
    check_log_ends();
    output_.wake_at = next_wake(now);
    return std::move(output_);
}

void Replica::check_log_ends() const {
    INVARIANT(durable_end_ <= appended_end_ && appended_end_ <= log_end_, "log ends out of order");
    INVARIANT(!high_watermark_ || *high_watermark_ <= log_end_, "high watermark beyond the log");
    INVARIANT(epochs_.last_epoch() <= state_.epoch, "the log is ahead of the quorum's epoch");
}

void Replica::on(const Start&, Instant now) {
    INVARIANT(!started_, "a replica that starts twice");
    started_ = true;
    if (epochs_.last_epoch() > state_.epoch) {
        // quorum-state is older than the log, or lost: what the log proves is the least that can be
        // true.
        save({epochs_.last_epoch(), kNoBroker, std::nullopt});
    }
    if (state_.leader == options_.self.id) {
        become_resigned(now);
    } else if (voters().find(state_.leader) != nullptr) {
        become_follower(state_.epoch, state_.leader, now);
    } else {
        become_unattached(state_.epoch, now);
    }
}

void Replica::on(const Propose& event, Instant) {
    if (role_ != Role::leader || event.expected_epoch != state_.epoch || failed_) {
        output_.refused =
            Error{ErrorCode::not_controller, "not the leader of the quorum in this epoch"};
        return;
    }
    INVARIANT(event.record_count > 0, "an append of no records");
    append({.base_offset = log_end_,
            .last_offset = log_end_ + (event.record_count - 1),
            .epoch = state_.epoch,
            .control = {},
            .bytes = nullptr});
}

void Replica::on(const Appended& event, Instant) {
    INVARIANT(event.end <= log_end_, "appended what was not asked for");
    appended_end_ = std::max(appended_end_, event.end);
}

void Replica::on(const Synced& event, Instant) {
    INVARIANT(event.end <= appended_end_, "synced what was not appended");
    durable_end_ = std::max(durable_end_, event.end);
}

bool Replica::may_snapshot(const SnapshotId& id) const {
    const auto end = epochs_.end_of(id.epoch, appended_end_);
    return end && end->epoch == id.epoch && id.end_offset <= end->end_offset &&
           id.end_offset <= high_watermark_.value_or(Offset(0)) &&
           id.end_offset > (snapshot_ ? snapshot_->end_offset : Offset(0));
}

void Replica::on(const SnapshotTaken& event, Instant) {
    INVARIANT(may_snapshot(event.id), "a snapshot of what is not committed");
    snapshot_ = event.id;
}

void Replica::on(const LogCleaned& event, Instant) {
    INVARIANT(snapshot_ && event.first.end_offset <= snapshot_->end_offset,
              "a log cleaned of what no snapshot has");
    INVARIANT(event.first.end_offset >= log_start_, "a log that begins earlier than it did");
    log_start_ = event.first.end_offset;
    log_start_snapshot_ = event.first;
    epochs_.truncate_start(log_start_);
}

void Replica::on(const StorageFailed& event, Instant now) {
    complain("storage failed: " + event.why);
    failed_ = true;
    if (role_ == Role::leader) become_resigned(now);
}

void Replica::on(const Shutdown&, Instant now) {
    shutting_down_ = true;
    if (role_ == Role::leader) become_resigned(now);
}

void Replica::on(const Received& event, Instant now) {
    std::visit(
        [&](const auto& request) {
            if constexpr (std::is_same_v<std::decay_t<decltype(request)>, FetchRequest>) {
                on_fetch(event.id, request, now);
            } else if constexpr (requires { change_voters(event.id, request, now); }) {
                change_voters(event.id, request, now);
            } else {
                output_.replies.push_back({event.id, on_request(request, now)});
            }
        },
        event.request);
}

void Replica::on(const Answered& event, Instant now) {
    if (!settle(event.from, event.id)) return;
    std::visit(
        [&](const auto& response) {
            if (response.error != ErrorCode::none) back_off(event.from, now);
            const bool changed = learn(response.view, now);
            if (!changed) on_response(event.from, response, now);
        },
        event.response);
}

void Replica::on(const SendFailed& event, Instant now) {
    if (!settle(event.to, event.id)) return;
    back_off(event.to, now);
    if (change_ && change_->addition && change_->voter.id == event.to)
        finish_change(ErrorCode::request_timed_out, "the new voter can't be reached");
}

void Replica::on(const LeaderRefused& event, Instant now) {
    if (role_ != Role::follower || state_.leader != event.leader) return;
    // Others may stand too: whoever is first should find the rest still undecided.
    fetched_from_leader_ = false;
    const Duration soon =
        std::chrono::milliseconds(50) + random_below(std::chrono::milliseconds(100));
    role_deadline_ = std::min(role_deadline_, now + soon);
}

void Replica::advance(Instant now) {
    if (!started_) return;
    expire_requests(now);
    advance_election(now);
    if (role_ == Role::leader) advance_leader(now);
    answer_parked(now);
    advance_fetch(now);
}

Instant Replica::next_wake(Instant now) const {
    if (failed_) return env::kNever;
    Instant next = env::kNever;
    // What is due already has been done, or waits for something else that is looked at here.
    const auto consider = [&](Instant when) {
        if (when > now) next = std::min(next, when);
    };
    consider(role_ == Role::leader ? quorum_deadline() : role_deadline_);
    for (const auto& [id, flight] : flights_) {
        consider(flight.id ? flight.deadline : flight.not_before);
    }
    for (const ParkedFetch& parked : parked_) consider(parked.deadline);
    for (const auto& [id, progress] : progress_) consider(progress.announce_at);
    if (change_) consider(change_->deadline);
    if (role_ == Role::follower) consider(own_entry_due_);
    return next;
}

}  // namespace milena::raft

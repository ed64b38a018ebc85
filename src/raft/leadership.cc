// SPDX-License-Identifier: Apache-2.0
// What a leader does: it begins its epoch with a record of its own, tells the voters that it leads,
// moves the high watermark when a majority has a record durably, and resigns when a majority has
// gone silent.
#include <algorithm>

#include "milena/base/invariant.h"
#include "replica.h"

namespace milena::raft {

void Replica::append_epoch_start(std::vector<BrokerId> granting) {
    const VotersAt& current = voter_history_.current();
    Batch batch{.base_offset = log_end_,
                .last_offset = log_end_,
                .epoch = state_.epoch,
                .control = {},
                .bytes = nullptr};
    batch.control.push_back(
        LeaderChangeRecord{options_.self.id, voters().ids(), std::move(granting)});
    if (current.kraft_version >= 1) {
        // Where only this node's bootstrap snapshot names the voters, others learn them from the
        // log (KIP-853).
        const bool is_first = current.offset < Offset(0);
        VoterSet named = voters_of_new_epoch();
        if (is_first) batch.control.push_back(KRaftVersionRecord{current.kraft_version});
        if (is_first || named != current.voters)
            batch.control.push_back(VotersRecord{std::move(named)});
    }
    batch.last_offset = batch.base_offset + (static_cast<std::int64_t>(batch.control.size()) - 1);
    append(std::move(batch));
}

void Replica::append(Batch batch) {
    INVARIANT(batch.base_offset == log_end_ && batch.last_offset >= batch.base_offset,
              "an append that leaves a gap");
    log_end_ = batch.last_offset.next();
    epochs_.note(batch.epoch, batch.base_offset);
    voter_history_.note(batch);
    output_.appends.push_back(std::move(batch));
}

void Replica::note_voters(Instant now) {
    const bool known =
        std::all_of(voters().by_id().begin(), voters().by_id().end(), [&](const auto& one) {
            return (one.first == options_.self.id) != progress_.contains(one.first);
        });
    if (known && progress_.size() + (voters().find(options_.self.id) ? 1 : 0) == voters().size())
        return;
    std::map<BrokerId, Progress> next;
    for (const auto& [id, voter] : voters().by_id()) {
        if (id == options_.self.id) continue;
        const auto before = progress_.find(id);
        const auto observer = observers_.find(voter.key);
        if (before != progress_.end()) {
            next[id] = before->second;
        } else if (observer != observers_.end()) {
            next[id] = observer->second;
            observers_.erase(observer);
            next[id].last_fetch = next[id].announce_at = now;
        } else {
            next[id] = Progress{.durable_end = Offset(-1), .last_fetch = now, .announce_at = now};
        }
    }
    progress_ = std::move(next);
}

void Replica::advance_leader(Instant now) {
    note_voters(now);
    advance_high_watermark();
    advance_change(now);
    if (role_ != Role::leader) return;
    if (now >= quorum_deadline()) {
        complain("a majority of the voters has stopped fetching");
        become_resigned(now);
        return;
    }
    announce(now);
}

void Replica::announce(Instant now) {
    for (auto& [id, progress] : progress_) {
        if (now < progress.announce_at || !can_send(id, now)) continue;
        progress.announce_at = now + options_.fetch_timeout / 2;
        send(id, BeginQuorumEpochRequest{state_.epoch, options_.self.id, voters().find(id)->key},
             now);
    }
}

BeginQuorumEpochResponse Replica::on_request(const BeginQuorumEpochRequest& request, Instant now) {
    const ErrorCode error = refuse(request.epoch, request.leader);
    if (error != ErrorCode::none) return {error, answer_view()};
    // Nobody tells this replica that it leads: it would know.
    if (request.leader == options_.self.id) return {ErrorCode::invalid_request, answer_view()};
    const bool changed = learn({request.epoch, request.leader}, now);
    if (state_.leader != request.leader) return {ErrorCode::invalid_request, answer_view()};
    // The leader that this replica was about to give up is there after all.
    if (!changed && role_ == Role::prospective && !leader_ended_) {
        become_follower(state_.epoch, request.leader, now);
    }
    return {is_for_self(request.voter) ? ErrorCode::none : ErrorCode::invalid_voter_key,
            answer_view()};
}

EndQuorumEpochResponse Replica::on_request(const EndQuorumEpochRequest& request, Instant now) {
    const ErrorCode error = refuse(request.epoch, request.leader);
    if (error != ErrorCode::none) return {error, answer_view()};
    learn({request.epoch, request.leader}, now);
    if (role_ != Role::follower || state_.leader != request.leader) {
        return {ErrorCode::none, answer_view()};
    }
    become_unattached(state_.epoch, now);
    leader_ended_ = true;
    const auto& preferred = request.preferred_candidates;
    const auto self = std::find_if(preferred.begin(), preferred.end(), [&](const ReplicaKey& key) {
        return key.id == options_.self.id &&
               (key.directory.is_zero() || key.directory == options_.self.directory);
    });
    if (self == preferred.begin() && self != preferred.end()) {
        role_deadline_ = now;
    } else if (self != preferred.end()) {
        // Each place down the list waits twice as long as the one before: the better candidate is
        // through by then.
        const auto below = preferred.end() - self - 1;
        role_deadline_ =
            now + options_.election_backoff_max / (1LL << std::min<std::ptrdiff_t>(below, 16));
    }
    return {ErrorCode::none, answer_view()};
}

void Replica::on_response(BrokerId, const BeginQuorumEpochResponse&, Instant) {}
void Replica::on_response(BrokerId, const EndQuorumEpochResponse&, Instant) {}

void Replica::advance_high_watermark() {
    std::vector<Offset> ends;
    for (const auto& [id, voter] : voters().by_id()) {
        if (id == options_.self.id) {
            ends.push_back(is_voter() ? durable_end_ : Offset(-1));
        } else {
            const auto progress = progress_.find(id);
            ends.push_back(progress == progress_.end() ? Offset(-1) : progress->second.durable_end);
        }
    }
    if (ends.empty()) return;
    std::sort(ends.begin(), ends.end(), std::greater<>());
    const Offset majority_end = ends[voters().majority() - 1];
    // Records of earlier epochs are committed only together with one of this epoch (Raft, 5.4.2).
    if (majority_end > epoch_start_) move_high_watermark(majority_end);
}

void Replica::move_high_watermark(Offset to) {
    INVARIANT(to <= log_end_, "a high watermark beyond the log");
    if (to <= high_watermark_.value_or(Offset(0))) return;
    high_watermark_ = to;
    output_.high_watermark = to;
}

Instant Replica::quorum_deadline() const {
    const std::size_t others_needed = voters().majority() - (is_voter() ? 1 : 0);
    if (others_needed == 0) return env::kNever;
    std::vector<Instant> fetched;
    for (const auto& [id, progress] : progress_) fetched.push_back(progress.last_fetch);
    INVARIANT(fetched.size() >= others_needed, "a leader that does not know its voters");
    std::sort(fetched.begin(), fetched.end(), std::greater<>());
    return fetched[others_needed - 1] + options_.fetch_timeout * 3 / 2;
}

std::vector<ReplicaKey> Replica::successors() const {
    std::vector<std::pair<Offset, ReplicaKey>> by_end;
    for (const auto& [id, progress] : progress_) {
        by_end.emplace_back(progress.durable_end, voters().find(id)->key);
    }
    std::sort(by_end.begin(), by_end.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<ReplicaKey> keys;
    for (const auto& [end, key] : by_end) keys.push_back(key);
    return keys;
}

}  // namespace milena::raft

// SPDX-License-Identifier: Apache-2.0
// Votes. A replica first asks whether it would be elected (pre-vote, KIP-996) and raises the epoch
// only if so: one that was cut off for a while does not unseat a leader that works.
#include "milena/base/invariant.h"
#include "replica.h"

namespace milena::raft {

namespace {
constexpr LeaderEpoch at_least_zero(LeaderEpoch epoch) {
    return epoch < LeaderEpoch(0) ? LeaderEpoch(0) : epoch;
}
}  // namespace

VoteResponse Replica::on_request(const VoteRequest& request, Instant now) {
    const bool makes_sense = request.end_offset >= Offset(0) &&
                             request.last_epoch >= LeaderEpoch(0) &&
                             request.last_epoch <= request.epoch &&
                             (request.pre_vote || request.last_epoch < request.epoch);
    const ErrorCode error =
        makes_sense ? refuse(request.epoch, request.candidate.id) : ErrorCode::invalid_request;
    if (error != ErrorCode::none) return {error, answer_view(), false};
    if (!is_for_self(request.voter)) {
        return {ErrorCode::invalid_voter_key, answer_view(), false};
    }
    if (request.epoch > state_.epoch) become_unattached(request.epoch, now);

    const bool granted = can_grant(request);
    if (granted && !request.pre_vote && !state_.voted) {
        QuorumState next = state_;
        next.voted = request.candidate;
        save(next);
        // Whoever wanted to stand itself gives way, and time, to the one that it has just elected.
        become_unattached(state_.epoch, now);
    }
    return {ErrorCode::none, answer_view(), granted};
}

bool Replica::can_grant(const VoteRequest& request) const {
    const LeaderEpoch last_epoch = at_least_zero(epochs_.last_epoch());
    const bool up_to_date = request.last_epoch > last_epoch ||
                            (request.last_epoch == last_epoch && request.end_offset >= log_end_);
    if (role_ == Role::leader) return false;
    if (request.pre_vote) {
        // A follower that hears from its leader has no reason to want another.
        return up_to_date && !(role_ == Role::follower && fetched_from_leader_);
    }
    INVARIANT(request.epoch == state_.epoch, "a vote for another epoch");
    if (state_.leader == options_.self.id) return false;
    if (state_.voted) {
        return state_.voted->id == request.candidate.id &&
               (state_.voted->directory.is_zero() ||
                state_.voted->directory == request.candidate.directory);
    }
    return state_.leader == kNoBroker && up_to_date;
}

void Replica::on_response(BrokerId from, const VoteResponse& response, Instant now) {
    if (response.error != ErrorCode::none) return;
    if (role_ != Role::prospective && role_ != Role::candidate) return;
    const auto vote = votes_.find(from);
    if (vote == votes_.end()) return;
    // Requests of an earlier role or epoch were forgotten with it, so this answers the current
    // question.
    const bool met_refusal = votes(Vote::rejected) > 0;
    vote->second = response.granted ? Vote::granted : Vote::rejected;
    if (response.granted) return;
    if (role_ == Role::candidate) {
        if (!met_refusal) stand_again_soon(now);
    } else if (voters().size() - votes(Vote::rejected) < voters().majority()) {
        lose_election(now);
    }
}

/// Who is refused a vote that it was promised has met another candidate, and the votes that are
/// still missing may be those of the dead: each draws anew, from a time that doubles, and the first
/// finds the other waiting. What has been asked still counts if it comes before.
void Replica::stand_again_soon(Instant now) {
    constexpr int kDoublings = 10;
    const Duration longest = std::min<Duration>(
        std::chrono::milliseconds(200) * (1 << std::min(split_votes_, kDoublings)),
        options_.election_backoff_max);
    ++split_votes_;
    const Duration wait = longest / 4 + random_below(longest - longest / 4);
    role_deadline_ = std::min(role_deadline_, now + wait);
}

std::size_t Replica::votes(Vote kind) const {
    std::size_t count = 0;
    for (const auto& [id, vote] : votes_) {
        if (vote == kind && voters().find(id) != nullptr) ++count;
    }
    return count;
}

void Replica::lose_election(Instant now) {
    const bool has_leader = state_.leader != kNoBroker && state_.leader != options_.self.id;
    // The voters that were asked may vote no more: others may know who does.
    const bool knows_others = options_.bootstrap_servers > 0;
    if (has_leader && !leader_ended_ && !knows_others) {
        become_follower(state_.epoch, state_.leader, now);
    } else {
        become_unattached(state_.epoch, now);
    }
}

void Replica::advance_election(Instant now) {
    if (role_ == Role::leader) return;
    if (!may_stand()) {
        if (role_ == Role::prospective || role_ == Role::candidate) lose_election(now);
        // An observer whose leader is silent looks for another; while a snapshot is being loaded
        // the leader is asked for nothing.
        if (role_ == Role::follower && now >= role_deadline_ && !loading_)
            become_unattached(state_.epoch, now);
        // A leader that was taken out of the set has handed over, and looks for who leads now.
        if (role_ == Role::resigned && !is_voter() && now >= role_deadline_)
            become_unattached(state_.epoch, now);
        return;
    }
    // The only voter needs nobody's leave: no timeout, no pre-vote. The leader that made it the
    // only one is about to say that it goes.
    if (voters().is_only(options_.self) && role_ != Role::follower) {
        become_candidate(now);
    } else if (now >= role_deadline_) {
        if (role_ == Role::prospective) {
            lose_election(now);
        } else {
            become_prospective(now);
        }
    }
    if (role_ == Role::prospective && votes(Vote::granted) >= voters().majority()) {
        become_candidate(now);
    }
    if (role_ == Role::candidate && votes(Vote::granted) >= voters().majority()) {
        become_leader(now);
    }
    ask_for_votes(now);
}

void Replica::ask_for_votes(Instant now) {
    if (role_ != Role::prospective && role_ != Role::candidate) return;
    for (const auto& [id, vote] : votes_) {
        const Voter* voter = voters().find(id);
        if (vote != Vote::pending || voter == nullptr || !can_send(id, now)) continue;
        send(id,
             VoteRequest{.epoch = state_.epoch,
                         .candidate = options_.self,
                         .voter = voter->key,
                         .last_epoch = at_least_zero(epochs_.last_epoch()),
                         .end_offset = log_end_,
                         .pre_vote = role_ == Role::prospective},
             now);
    }
}

}  // namespace milena::raft

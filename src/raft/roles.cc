// SPDX-License-Identifier: Apache-2.0
// Who this replica is, and how it becomes something else. Every way into a role is here, and with
// it what quorum-state must say before anybody may learn of it.
//
//   unattached --timeout--> prospective --majority would vote--> candidate --majority votes-->
//   leader follower   --silence-->      |  (lost: back to where it was)     |  (lost: prospective)
//   |
//       ^------------------------+---- somebody leads an epoch as new ----------------------
//       resigned
#include <fmt/format.h>

#include "milena/base/invariant.h"
#include "replica.h"

namespace milena::raft {

std::string_view text(Role role) {
    switch (role) {
        case Role::unattached: return "unattached";
        case Role::prospective: return "prospective";
        case Role::candidate: return "candidate";
        case Role::leader: return "leader";
        case Role::follower: return "follower";
        case Role::resigned: return "resigned";
    }
    return "?";
}

LeaderView Replica::view() const {
    return {state_.epoch, known_leader()};
}

BrokerId Replica::known_leader() const {
    switch (role_) {
        case Role::leader:
        case Role::follower: return state_.leader;
        case Role::prospective:
            return leader_ended_ || state_.leader == options_.self.id ? kNoBroker : state_.leader;
        default: return kNoBroker;
    }
}

void Replica::enter(Role role) {
    if (change_) finish_change(ErrorCode::not_leader_or_follower, "this replica leads no more");
    role_ = role;
    votes_.clear();
    flights_.clear();
    progress_.clear();
    observers_.clear();
    fetched_from_leader_ = false;
    download_.reset();
    role_deadline_ = env::kNever;
}

void Replica::save(const QuorumState& next) {
    INVARIANT(next.epoch >= state_.epoch, "the quorum's epoch goes back");
    if (next.epoch > state_.epoch) {
        leader_ended_ = false;
    } else {
        INVARIANT(!state_.voted || next.voted == state_.voted || next.leader == options_.self.id,
                  "a second vote in one epoch");
        INVARIANT(state_.leader == kNoBroker || next.leader == state_.leader,
                  "a second leader in one epoch");
    }
    if (next == state_) return;
    state_ = next;
    output_.persist = next;
}

void Replica::become_unattached(LeaderEpoch epoch, Instant now) {
    if (epoch > state_.epoch) save({epoch, kNoBroker, std::nullopt});
    enter(Role::unattached);
    role_deadline_ = random_election_deadline(now);
}

void Replica::become_prospective(Instant now) {
    enter(Role::prospective);
    role_deadline_ = random_election_deadline(now);
    for (const auto& [id, voter] : voters().by_id()) votes_[id] = Vote::pending;
    votes_[options_.self.id] = Vote::granted;
}

void Replica::become_candidate(Instant now) {
    const LeaderEpoch next(state_.epoch.value + 1);
    if (next >= kEpochMax) {
        complain("no epoch is left");
        return;
    }
    save({.epoch = next, .leader = kNoBroker, .voted = options_.self});
    enter(Role::candidate);
    role_deadline_ = random_election_deadline(now);
    for (const auto& [id, voter] : voters().by_id()) votes_[id] = Vote::pending;
    votes_[options_.self.id] = Vote::granted;
}

void Replica::become_leader(Instant now) {
    INVARIANT(role_ == Role::candidate && state_.voted == options_.self, "a leader nobody elected");
    std::vector<BrokerId> granting;
    for (const auto& [id, vote] : votes_) {
        if (vote == Vote::granted) granting.push_back(id);
    }
    save({.epoch = state_.epoch, .leader = options_.self.id, .voted = std::nullopt});
    enter(Role::leader);
    split_votes_ = 0;
    epoch_start_ = log_end_;
    note_voters(now);
    append_epoch_start(std::move(granting));
}

void Replica::become_follower(LeaderEpoch epoch, BrokerId leader, Instant now) {
    INVARIANT(leader != options_.self.id && leader != kNoBroker, "a follower of nobody");
    const bool same_epoch = epoch == state_.epoch;
    save({.epoch = epoch, .leader = leader, .voted = same_epoch ? state_.voted : std::nullopt});
    enter(Role::follower);
    split_votes_ = 0;
    leader_high_watermark_ = Offset(-1);
    role_deadline_ = now + options_.fetch_timeout;
    // A few fetches first: they may bring the voters up to date.
    own_entry_due_ = now + options_.fetch_timeout;
}

void Replica::become_resigned(Instant now) {
    INVARIANT(state_.leader == options_.self.id, "only a leader resigns");
    const std::vector<ReplicaKey> preferred = successors();
    const bool was_leader = role_ == Role::leader;
    enter(Role::resigned);
    role_deadline_ = random_election_deadline(now);
    if (!was_leader) return;
    for (const auto& [id, voter] : voters().by_id()) {
        if (id == options_.self.id) continue;
        send(id, EndQuorumEpochRequest{state_.epoch, options_.self.id, preferred}, now);
    }
}

void Replica::note_leadership() {
    const LeadershipChange current{
        .epoch = state_.epoch,
        .leader = known_leader(),
        .is_self = role_ == Role::leader,
        .epoch_start_offset = role_ == Role::leader ? epoch_start_ : Offset(-1)};
    if (current == told_) return;
    told_ = current;
    output_.leadership = current;
}

bool Replica::learn(const LeaderView& told, Instant now) {
    const LeaderView seen{told.epoch, std::max(told.leader, kNoBroker)};
    if (seen.epoch < state_.epoch || seen.epoch >= kEpochMax) return false;
    if (seen.epoch > state_.epoch) {
        if (seen.leader == kNoBroker || seen.leader == options_.self.id) {
            become_unattached(seen.epoch, now);
        } else {
            become_follower(seen.epoch, seen.leader, now);
        }
        return true;
    }
    if (seen.leader == kNoBroker) return false;
    if (seen.leader == state_.leader) {
        // An observer that had lost its leader and asked around; a voter would have stood for
        // election.
        if (role_ != Role::unattached || leader_ended_ || seen.leader == options_.self.id)
            return false;
        become_follower(seen.epoch, seen.leader, now);
        return true;
    }
    if (state_.leader != kNoBroker || seen.leader == options_.self.id) {
        complain(fmt::format("epoch {} has leader {} here and {} elsewhere", seen.epoch,
                             state_.leader, seen.leader));
        return false;
    }
    become_follower(seen.epoch, seen.leader, now);
    return true;
}

Instant Replica::random_election_deadline(Instant now) {
    return now + options_.election_timeout + random_below(options_.election_timeout);
}

/// SplitMix64: what it draws decides only when something is tried.
Duration Replica::random_below(Duration bound) {
    random_state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t mixed = random_state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    mixed ^= mixed >> 31;
    if (bound <= Duration::zero()) return Duration::zero();
    return Duration(static_cast<std::int64_t>(mixed % static_cast<std::uint64_t>(bound.count())));
}

}  // namespace milena::raft

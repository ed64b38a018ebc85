// SPDX-License-Identifier: Apache-2.0
// The leader's decisions, one event each. See leader_core.h for what they mean.
#include "core/leader_core.h"

#include <algorithm>
#include <utility>

namespace milena::replication {
namespace {

/// A replica on its way into the set is waited for as long as it fetches at least that often; a
/// live one comes back after replica.fetch.wait.max.ms at the latest. One that has died is no
/// member, so that no change of the set would tell of it.
constexpr env::Duration kJoinWait = std::chrono::seconds(1);
/// For how long one is not waited for that the controller has taken out, or does not take in: it is
/// fenced, or in a controlled shutdown, and about to fall silent. Longer than the pause between two
/// proposals.
constexpr env::Duration kRefusedWait = std::chrono::seconds(2);

}  // namespace

std::string LeaderOutput::text() const {
    std::string text;
    const auto add = [&](std::string part) {
        text += (text.empty() ? "" : ", ") + std::move(part);
    };
    if (high_watermark_moved) add("hw moved");
    if (isr_change_due) add("isr change due");
    for (const Completion& end : completed)
        add(fmt::format("ticket {} {}", end.ticket, error_name(end.code)));
    return text.empty() ? "nothing" : text;
}

LeaderCore::LeaderCore(const PartitionState& state, const LeaderRules& rules, const LogEnds& log,
                       Offset high_watermark, env::Instant now)
    : self_(state.leader),
      rules_(rules),
      leader_epoch_(state.leader_epoch),
      epoch_start_offset_(log.end),
      log_(log),
      staged_end_(log.end),
      high_watermark_(std::clamp(high_watermark, log.start, log.end)),
      replicas_(state.replicas),
      isr_(state.in_sync_replicas, state.partition_epoch) {
    INVARIANT(log.start <= log.end && log.durable_end <= log.end,
              "a log that ends before it begins");
    track_followers(state.replicas, now);
}

std::int32_t LeaderCore::effective_min_insync_replicas() const {
    return std::min(rules_.min_insync_replicas, static_cast<std::int32_t>(replicas_.size()));
}

bool LeaderCore::below_min_isr() const {
    return std::cmp_less(isr_.committed().size(), effective_min_insync_replicas());
}

const FollowerProgress* LeaderCore::follower(BrokerId replica) const {
    const auto at = std::ranges::find(followers_, replica, &FollowerProgress::replica);
    return at == followers_.end() ? nullptr : &*at;
}

std::vector<ReadableFollower> LeaderCore::readable_followers(Offset from, env::Instant now) const {
    std::vector<ReadableFollower> out;
    for (const BrokerId member : isr_.committed()) {
        const FollowerProgress* const one = follower(member);
        if (one == nullptr || one->log_end < from || one->log_start > from) continue;
        const bool never = one->last_caught_up == env::Instant::min();
        out.push_back(
            {member, one->log_end, never ? env::Duration::max() : now - one->last_caught_up});
    }
    return out;
}

Result<void> LeaderCore::admit(Acks acks) const {
    if (acks != Acks::all) {
        if (!unsynced_.full()) return ok();
        return fail(ErrorCode::not_enough_replicas,
                    fmt::format("{} produces wait for the disk already", unsynced_.size()));
    }
    if (below_min_isr()) {
        return fail(ErrorCode::not_enough_replicas,
                    fmt::format("{} replicas are in sync, min.insync.replicas asks for {}",
                                isr_.committed().size(), effective_min_insync_replicas()));
    }
    if (parked_.full()) {
        return fail(ErrorCode::not_enough_replicas,
                    fmt::format("{} produces wait for the replicas already", parked_.size()));
    }
    return ok();
}

Append LeaderCore::stage(std::int64_t records) {
    INVARIANT(records > 0, "a batch without offsets");
    const Append append{staged_end_, leader_epoch_};
    staged_end_ = staged_end_ + records;
    return append;
}

LeaderOutput LeaderCore::appended(Offset end, env::Instant now) {
    INVARIANT(log_.end < end && end <= staged_end_, "appended what was not staged");
    // Whoever is in sync and had all there was has kept up until this moment, though nobody may
    // have asked since: a fetch session does not ask for partitions without news.
    for (FollowerProgress& follower : followers_) {
        if (follower.log_end == log_.end && isr_.maximal_contains(follower.replica))
            follower.last_caught_up = std::max(follower.last_caught_up, now);
    }
    log_.end = end;
    return advance(now);
}

void LeaderCore::append_failed() {
    INVARIANT(log_.end < staged_end_, "nothing was staged");
    staged_end_ = log_.end;
}

LeaderOutput LeaderCore::synced(Offset durable_end, env::Instant now) {
    INVARIANT(durable_end <= log_.end, "synced beyond the log's end");
    log_.durable_end = std::max(log_.durable_end, durable_end);
    LeaderOutput output = advance(now);
    unsynced_.pop_reached(own_end(), output.completed);
    return output;
}

void LeaderCore::log_start_raised(Offset start) {
    INVARIANT(start <= high_watermark_, "log start beyond the high watermark");
    log_.start = std::max(log_.start, start);
}

Offset LeaderCore::low_watermark(const FollowerCounts& counts) const {
    Offset low = log_.start;
    for (const FollowerProgress& follower : followers_) {
        if (counts(follower.replica)) low = std::min(low, follower.log_start);
    }
    return low;
}

bool LeaderCore::park(const ParkedProduce& produce) {
    INVARIANT(produce.required <= log_.end, "parked before it was appended");
    if (produce.required <= high_watermark_) return false;
    parked_.park(produce);
    return true;
}

bool LeaderCore::park_until_synced(const ParkedProduce& produce) {
    INVARIANT(produce.required <= log_.end, "parked before it was appended");
    if (produce.required <= own_end()) return false;
    unsynced_.park(produce);
    return true;
}

env::Instant LeaderCore::next_deadline() const {
    const env::Instant deadline = std::min(parked_.next_deadline(), unsynced_.next_deadline());
    return parked_.size() == 0 ? deadline : std::min(deadline, looks_again_at_);
}

LeaderOutput LeaderCore::expire(env::Instant now) {
    LeaderOutput output;
    if (looks_again_at_ <= now) output = advance(now);
    unsynced_.pop_expired(now, ErrorCode::request_timed_out, output.completed);
    parked_.pop_expired(now, ErrorCode::request_timed_out, output.completed);
    return output;
}

LeaderOutput LeaderCore::follower_fetched(const FollowerFetch& fetch, env::Instant now) {
    const auto at = std::ranges::find(followers_, fetch.replica, &FollowerProgress::replica);
    INVARIANT(at != followers_.end(), "a fetch of somebody who is no follower");
    INVARIANT(fetch.log_end <= log_.end, "a follower beyond its leader's log");
    if (fetch.log_end >= log_.end) {
        at->last_caught_up = std::max(at->last_caught_up, now);
    } else if (at->leader_end_at_last_fetch >= Offset(0) &&
               fetch.log_end >= at->leader_end_at_last_fetch) {
        // It has all there was when it fetched before: with a busy leader it may never have all
        // there is.
        at->last_caught_up = std::max(at->last_caught_up, at->last_fetch);
    }
    at->log_end = fetch.log_end;
    at->log_start = fetch.log_start;
    at->broker_epoch = fetch.broker_epoch;
    at->last_fetch = now;
    at->leader_end_at_last_fetch = log_.end;
    LeaderOutput output = advance(now);
    output.isr_change_due = !isr_.proposed() && may_join(*at);
    return output;
}

LeaderOutput LeaderCore::update(const PartitionState& state, env::Instant now) {
    INVARIANT(state.leader == self_ && state.leader_epoch >= leader_epoch_,
              "update of another leadership");
    const std::vector<BrokerId> before = isr_.committed();
    if (!isr_.commit(state.in_sync_replicas, state.partition_epoch)) return {};
    if (state.leader_epoch > leader_epoch_) {
        // Followers have to show again where they stand. Nobody led between, or the host would have
        // resigned us.
        leader_epoch_ = state.leader_epoch;
        epoch_start_offset_ = log_.end;
        followers_.clear();
    }
    replicas_ = state.replicas;
    track_followers(state.replicas, now);
    forget_removed(before, now);
    return advance(now);
}

LeaderOutput LeaderCore::configure(const LeaderRules& rules, env::Instant now) {
    rules_ = rules;
    LeaderOutput output = advance(now);
    unsynced_.pop_reached(own_end(), output.completed);
    return output;
}

LeaderOutput LeaderCore::advance(env::Instant now) {
    LeaderOutput output;
    looks_again_at_ = replicas_.size() > isr_.committed().size() ? now + kJoinWait : env::kNever;
    if (below_min_isr()) return output;
    Offset reached = own_end();
    for (const FollowerProgress& follower : followers_) {
        if (follower.log_end >= reached) continue;
        if (isr_.maximal_contains(follower.replica) || is_joining(follower, now))
            reached = follower.log_end;
    }
    if (reached <= high_watermark_) return output;
    INVARIANT(reached <= log_.end, "high watermark beyond the log's end");
    high_watermark_ = reached;
    output.high_watermark_moved = true;
    parked_.pop_reached(high_watermark_, output.completed);
    return output;
}

bool LeaderCore::caught_up(const FollowerProgress& follower, env::Instant now) const {
    return follower.log_end == log_.end || follower.last_caught_up + rules_.replica_lag_max >= now;
}

/// A replica on its way into the set is waited for as long as it keeps up: otherwise the high
/// watermark of a busy leader would stay ahead of it, and it could never join.
bool LeaderCore::is_joining(const FollowerProgress& follower, env::Instant now) const {
    return follower.log_end >= Offset(0) && caught_up(follower, now) &&
           now < follower.last_fetch + kJoinWait && now >= follower.not_awaited_until;
}

bool LeaderCore::may_join(const FollowerProgress& follower) const {
    return !isr_.maximal_contains(follower.replica) && follower.log_end >= high_watermark_ &&
           follower.log_end >= epoch_start_offset_;
}

void LeaderCore::pardon_one() {
    FollowerProgress* first = nullptr;
    for (FollowerProgress& follower : followers_) {
        const bool is_candidate = follower.refused_at && may_join(follower);
        if (is_candidate && (first == nullptr || *follower.refused_at < *first->refused_at))
            first = &follower;
    }
    if (first != nullptr) first->refused_at.reset();
}

std::vector<BrokerId> LeaderCore::wanted_isr(env::Instant now) const {
    std::vector<BrokerId> wanted;
    for (const BrokerId replica : replicas_) {
        const FollowerProgress* const progress = follower(replica);
        const bool member = isr_.contains(replica);
        if (replica == self_ ||
            (progress != nullptr &&
             (member ? caught_up(*progress, now) : !progress->refused_at && may_join(*progress)))) {
            wanted.push_back(replica);
        }
    }
    return wanted;
}

IsrProposal LeaderCore::proposal(const std::vector<BrokerId>& wanted) const {
    IsrProposal proposal{leader_epoch_, isr_.partition_epoch(), {}};
    for (const BrokerId broker : wanted) {
        const FollowerProgress* const progress = follower(broker);
        proposal.in_sync_replicas.push_back(
            {broker, progress == nullptr ? BrokerEpoch(-1) : progress->broker_epoch});
    }
    return proposal;
}

std::optional<IsrProposal> LeaderCore::propose_isr(env::Instant now) {
    if (!isr_.proposed()) {
        std::vector<BrokerId> wanted = wanted_isr(now);
        if (std::ranges::is_permutation(wanted, isr_.committed())) {
            pardon_one();
            wanted = wanted_isr(now);
        }
        if (std::ranges::is_permutation(wanted, isr_.committed())) return std::nullopt;
        asked_ = proposal(wanted);
        isr_.propose(std::move(wanted));
    }
    if (!isr_.take_to_send()) return std::nullopt;
    return asked_;
}

LeaderOutput LeaderCore::isr_accepted(std::vector<BrokerId> in_sync_replicas, PartitionEpoch epoch,
                                      env::Instant now) {
    const std::vector<BrokerId> before = isr_.committed();
    if (!isr_.commit(std::move(in_sync_replicas), epoch)) return {};
    forget_removed(before, now);
    return advance(now);
}

LeaderOutput LeaderCore::isr_refused(IsrRefusal why, env::Instant now) {
    if (!isr_.proposed() || why == IsrRefusal::superseded) return {};
    if (why == IsrRefusal::unknown) {
        isr_.ask_again();
        LeaderOutput output;
        output.isr_change_due = true;
        return output;
    }
    // The high watermark must not wait for replicas that can't join.
    for (FollowerProgress& follower : followers_) {
        const bool was_added =
            contains(*isr_.proposed(), follower.replica) && !isr_.contains(follower.replica);
        if (!was_added) continue;
        follower.refused_at = now;
        follower.not_awaited_until = now + kRefusedWait;
    }
    isr_.withdraw();
    return advance(now);
}

LeaderOutput LeaderCore::resign(ErrorCode code) {
    LeaderOutput output;
    parked_.pop_all(code, output.completed);
    unsynced_.pop_all(code, output.completed);
    return output;
}

void LeaderCore::track_followers(const std::vector<BrokerId>& replicas, env::Instant now) {
    std::vector<FollowerProgress> tracked;
    for (const BrokerId replica : replicas) {
        if (replica == self_) continue;
        const FollowerProgress* const known = follower(replica);
        tracked.push_back(known != nullptr ? *known : FollowerProgress{.replica = replica});
        // A member has the time of one lag to show that it is alive.
        if (known == nullptr && isr_.contains(replica)) tracked.back().last_caught_up = now;
    }
    followers_ = std::move(tracked);
}

void LeaderCore::forget_removed(const std::vector<BrokerId>& before, env::Instant now) {
    for (FollowerProgress& follower : followers_) {
        const bool was_member = contains(before, follower.replica);
        if (was_member && !isr_.contains(follower.replica))
            follower = {.replica = follower.replica, .not_awaited_until = now + kRefusedWait};
    }
}

}  // namespace milena::replication

// SPDX-License-Identifier: Apache-2.0
// What a partition's leader decides: offsets, high watermark, in-sync replicas, who is answered
// when. Pure: an event and the time go in, what is to be done comes out; the log is the host's, and
// so are threads, callbacks and bytes. One replica runs the same core as three.
//
// An append is staged: stage() gives the place, the host writes, then says appended() or
// append_failed(). What is staged is not in the log for anybody else.
//
//   log start ............ high watermark ............ log end .... staged end
//                  read by consumers     read by followers    being written
//
// A follower's fetch from offset n says that it has everything below n, of this leader's history:
// the host has compared epochs before (KIP-595). The high watermark is what every replica of the
// maximal in-sync set has, and stays where it is while fewer than min.insync.replicas are in sync
// (KIP-966).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/in_sync_replicas.h"
#include "core/parked_produces.h"
#include "milena/replication/partition.h"

namespace milena::replication {

/// Where a log begins and ends, and up to where it is synced.
struct LogEnds {
    Offset start;
    Offset end;
    Offset durable_end;
};

/// The settings that decide here.
struct LeaderRules {
    std::int32_t min_insync_replicas = 1;
    /// replica.lag.time.max.ms: how long a replica may go without reaching the log end.
    env::Duration replica_lag_max = std::chrono::seconds(30);
    /// What is not synced does not count as had: the leader's own part is its durable end, and
    /// followers fetch from theirs.
    bool counts_durable_end = false;
};

/// Consequences of an event, for the host to carry out after it has let go of the guard.
struct LeaderOutput {
    bool high_watermark_moved = false;
    /// propose_isr() would find something now.
    bool isr_change_due = false;
    std::vector<Completion> completed;

    bool operator==(const LeaderOutput&) const = default;
    /// "hw moved, isr change due, ticket 3 NONE"; "nothing".
    std::string text() const;
};

/// Where the next batch goes.
struct Append {
    Offset base_offset;
    LeaderEpoch leader_epoch = kNoLeaderEpoch;

    bool operator==(const Append&) const = default;
};

/// What a follower's fetch says of it.
struct FollowerFetch {
    BrokerId replica = kNoBroker;
    Offset log_end;  ///< the offset it fetches from
    Offset log_start{-1};
    BrokerEpoch broker_epoch{-1};  ///< of the process that fetches (KIP-903)
};

/// A follower as its leader sees it.
struct FollowerProgress {
    BrokerId replica = kNoBroker;
    Offset log_end{-1};  ///< −1: has not fetched in this epoch
    Offset log_start{-1};
    BrokerEpoch broker_epoch{-1};
    /// When it last had all there was at the time; the clock's minimum if never.
    env::Instant last_caught_up = env::Instant::min();
    env::Instant last_fetch = env::Instant::min();
    /// The log end when it fetched last: it has caught up with that moment once it fetches from
    /// there.
    Offset leader_end_at_last_fetch{-1};
    /// The controller has refused it, or taken it out, lately: until then it is not waited for
    /// unless it is a member.
    env::Instant not_awaited_until = env::Instant::min();
    /// When the controller refused a set with it: it is proposed again alone.
    std::optional<env::Instant> refused_at = std::nullopt;
};

class LeaderCore {
public:
    /// Leads in `state`'s epoch, whose first offset is the log's end. The followers start unknown.
    /// Call advance() next.
    LeaderCore(const PartitionState& state, const LeaderRules& rules, const LogEnds& log,
               Offset high_watermark, env::Instant now);

    LeaderEpoch leader_epoch() const { return leader_epoch_; }
    Offset epoch_start_offset() const { return epoch_start_offset_; }
    Offset log_start_offset() const { return log_.start; }
    Offset log_end_offset() const { return log_.end; }
    Offset high_watermark() const { return high_watermark_; }
    const std::vector<BrokerId>& replicas() const { return replicas_; }
    const InSyncReplicas& in_sync_replicas() const { return isr_; }
    /// min.insync.replicas, but never more than there are replicas.
    std::int32_t effective_min_insync_replicas() const;
    /// Nothing if `replica` is not one of the partition's followers.
    const FollowerProgress* follower(BrokerId replica) const;
    /// In-sync followers whose logs have the offset `from`, by the committed set.
    std::vector<ReadableFollower> readable_followers(Offset from, env::Instant now) const;

    /// NOT_ENOUGH_REPLICAS if a batch with `acks` may not be appended now; nothing is written then.
    Result<void> admit(Acks acks) const;

    /// The place of the next batch, which has `records` offsets. Batches are written in the order
    /// they were staged.
    Append stage(std::int64_t records);
    /// The log now ends at `end`, the end of a staged batch.
    LeaderOutput appended(Offset end, env::Instant now);
    /// The oldest staged batch could not be written: all that are staged are void.
    void append_failed();
    /// The log is synced up to `durable_end`.
    LeaderOutput synced(Offset durable_end, env::Instant now);
    /// The log start was raised (retention, DeleteRecords).
    void log_start_raised(Offset start);

    /// The least log start of this log and of the followers that count; −1 while one of them has
    /// not told its own.
    Offset low_watermark(const FollowerCounts& counts) const;

    /// An appended batch with acks=all that ends before `produce.required`: true if it waits, false
    /// if the high watermark is there already and it is a success now.
    bool park(const ParkedProduce& produce);
    /// The same for acks=1 where what is not synced does not count: it waits for the sync alone.
    bool park_until_synced(const ParkedProduce& produce);
    /// REQUEST_TIMED_OUT for those whose deadline has come, also if they wait because the in-sync
    /// set has shrunk below the minimum: so does Apache Kafka. And nobody waits any longer for a
    /// replica on its way into the set that has fallen silent.
    LeaderOutput expire(env::Instant now);
    /// When expire() has something to do; kNever if nothing is parked.
    env::Instant next_deadline() const;

    /// `fetch.replica` is one of follower()'s, and its log agrees with this one up to
    /// `fetch.log_end`.
    LeaderOutput follower_fetched(const FollowerFetch& fetch, env::Instant now);

    /// A newer state of the same leadership: replicas, in-sync set, or a higher epoch of ours
    /// without a leader between.
    LeaderOutput update(const PartitionState& state, env::Instant now);
    LeaderOutput configure(const LeaderRules& rules, env::Instant now);
    /// Moves the high watermark if it can.
    LeaderOutput advance(env::Instant now);

    /// The change of the in-sync set that is due: members that lag go, replicas that have reached
    /// the high watermark and this epoch's start come. From now on both sets count. Nothing while
    /// an answer is outstanding. Replicas that were refused are tried again one at a time, when
    /// there is nothing else to ask for: one that stays fenced keeps nobody else out. What is asked
    /// again is what was asked, with the epochs that the replicas had then (KIP-903).
    std::optional<IsrProposal> propose_isr(env::Instant now);
    LeaderOutput isr_accepted(std::vector<BrokerId> in_sync_replicas, PartitionEpoch epoch,
                              env::Instant now);
    LeaderOutput isr_refused(IsrRefusal why, env::Instant now);

    /// The leadership is over: everything parked ends with `code`.
    LeaderOutput resign(ErrorCode code);

private:
    bool below_min_isr() const;
    bool caught_up(const FollowerProgress& follower, env::Instant now) const;
    bool is_joining(const FollowerProgress& follower, env::Instant now) const;
    bool may_join(const FollowerProgress& follower) const;
    /// Of those that were refused and have all that a member needs, the one that has waited
    /// longest may be asked for again.
    void pardon_one();
    std::vector<BrokerId> wanted_isr(env::Instant now) const;
    void track_followers(const std::vector<BrokerId>& replicas, env::Instant now);
    void forget_removed(const std::vector<BrokerId>& before, env::Instant now);
    IsrProposal proposal(const std::vector<BrokerId>& wanted) const;
    /// What counts as had by the leader itself.
    Offset own_end() const { return rules_.counts_durable_end ? log_.durable_end : log_.end; }

    BrokerId self_;
    LeaderRules rules_;
    LeaderEpoch leader_epoch_;
    Offset epoch_start_offset_;
    LogEnds log_;
    Offset staged_end_;
    Offset high_watermark_;
    std::vector<BrokerId> replicas_;
    InSyncReplicas isr_;
    IsrProposal asked_;  ///< the open proposal
    std::vector<FollowerProgress> followers_;
    /// When what is parked may wait no longer for a replica on its way into the set; kNever if all
    /// are members.
    env::Instant looks_again_at_ = env::kNever;
    ParkedProduces parked_;
    ParkedProduces unsynced_;  ///< with acks=1
};

}  // namespace milena::replication

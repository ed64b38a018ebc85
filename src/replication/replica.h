// SPDX-License-Identifier: Apache-2.0
// What the partition's guard guards: the log, the role's core over it, and those who wait. Carries
// the core's decisions out where that means the log; what means other people (answers, news) goes
// into AfterGuard, for when the guard has been released. Not thread-safe: LocalPartition holds one
// in env::Guarded.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/fetched_batches.h"
#include "core/follower_core.h"
#include "core/leader_core.h"
#include "fetch_bounds.h"
#include "fetch_listeners.h"
#include "milena/storage/cleaning.h"
#include "replica_view.h"
#include "sync_turn.h"
#include "waiting_produces.h"

namespace milena::replication {

/// What is left to do once the guard has been released.
struct AfterGuard {
    std::vector<std::pair<ProduceDone, ProduceAnswer>> answers;
    bool news = false;
    /// The log is to be queued for a sync.
    bool wants_sync = false;
    /// The controller is to be asked for another in-sync set.
    bool isr_change_due = false;
    /// The log has met an error of the disk, for the first time.
    bool has_failed = false;
    NewsRound round;
};

/// A produced batch where it lies in the log.
struct Appended {
    Offset base_offset{};
    Offset end{};
    Timestamp log_append_time{-1};
};

/// Stamps the batch anew if its topic has LogAppendTime.
void stamp_append_time(PreparedBatch& batch, Timestamp time);

class Replica {
public:
    Replica(BrokerId self, Logger logger, std::unique_ptr<storage::Log> log, Offset high_watermark,
            const PartitionSettings& settings);

    /// While an append is under way a state that changes the log's epochs waits for its end.
    Result<void> become(const PartitionState& state, env::Instant now, AfterGuard& after);
    void configure(const PartitionSettings& settings, env::Instant now, AfterGuard& after);
    void stop(AfterGuard& after);
    void take_offline(AfterGuard& after);

    /// The steps of a produce, which is prepared: begin_produce(), then staged.write.run(), with
    /// the guard or without it, then end_produce() whatever that gave.
    struct Staged {
        Appended batch;
        storage::PendingAppend write;
    };
    /// Nothing if the batch is staged. Else it is refused, or was there before, or needs_disk:
    /// another append is under way or, where the disk may not be waited for, this one would be more
    /// than a write. `wall` is read under the guard: LogAppendTime ascends with it.
    std::optional<ProduceStep> begin_produce(Production& batch, ProducePlace place, Timestamp wall,
                                             Staged& staged, AfterGuard& after);
    ProduceStep end_produce(Production& batch, Staged& staged, const Result<void>& written,
                            env::Instant now, AfterGuard& after);
    env::Instant expire(env::Instant now, AfterGuard& after);
    /// `is_withheld`: a follower that is not in sync gets no records now.
    FetchAnswer fetch(const FetchQuestion& question, bool is_withheld, env::Instant now,
                      AfterGuard& after);
    std::vector<ReadableFollower> readable_followers(Offset from, env::Instant now) const;
    OffsetAnswer find_offset(const OffsetQuestion& question);
    EpochAnswer end_of_epoch(LeaderEpoch current_leader_epoch, LeaderEpoch epoch) const;

    // Following, in replica_follow.cc.
    std::optional<FetchPlan> next_fetch() const;
    bool is_behind() const;
    /// An answer on its way into the log.
    struct Fetched {
        const FetchPlan& plan;
        const FetchedPart& part;
        FetchedBatches batches;  ///< of the part, those that may be appended
        Timestamp max_timestamp{-1};
        std::optional<Offset> raise_start{};
        storage::PendingAppend write{};
    };
    /// Nothing if batches are staged: then fetched.write.run() and end_follow() come, as for a
    /// produce. Else what came of the answer.
    Result<std::optional<FollowStep>> begin_follow(Fetched& fetched, ProducePlace place,
                                                   AfterGuard& after);
    /// Of batches of which the log took a part the rest will be fetched again.
    Result<FollowStep> end_follow(Fetched& fetched, const Result<void>& written, env::Instant now,
                                  AfterGuard& after);
    Result<FollowStep> out_of_range(const FetchPlan& plan, Offset leader_start, Offset leader_end,
                                    AfterGuard& after);

    // Another log in the place of this one, in moves/replica_swap.cc.
    /// A copy of the log is being made elsewhere, or is not any more. It is not cleaned meanwhile:
    /// the copy may have a value already, and would never see a tombstone that goes behind it.
    void set_copied(bool is_copied) { is_copied_ = is_copied; }
    /// From here to end_swap() or give_up_swap() nothing is appended, cut or synced, as in the
    /// middle of a write. False if that can't be now.
    bool begin_swap();
    /// Gives the log that takes over, which has the same records, all of them synced.
    using Successor = std::function<Result<std::unique_ptr<storage::Log>>(
        Offset start, const storage::LogOptions&)>;
    /// The log that was this replica's. An error is that of `successor`: it keeps its own.
    Result<std::unique_ptr<storage::Log>> end_swap(const Successor& successor, env::Instant now,
                                                   AfterGuard& after);
    void give_up_swap(env::Instant now, AfterGuard& after);

    std::optional<IsrProposal> propose_isr(env::Instant now);
    void isr_accepted(std::vector<BrokerId> in_sync_replicas, PartitionEpoch epoch,
                      env::Instant now, AfterGuard& after);
    void isr_refused(IsrRefusal why, env::Instant now, AfterGuard& after);

    Result<std::vector<storage::ActiveProducer>> active_producers() const;
    void expire_producers(Timestamp now);

    FetchListeners& listeners() { return listeners_; }
    /// Offsets and leadership; those of the end after close().
    ReplicaView view() const;
    Figures figures() const;
    bool offline() const { return storage_failed_ || (!closed_ends_ && partition_log_->offline()); }
    Offset durable_end_offset() const { return log_ends().durable_end; }

    /// What a sync has to do; nothing after close() or offline. end_sync() follows, whatever comes
    /// of it.
    storage::Log::PendingSync begin_sync();
    void end_sync(AfterGuard& after);
    /// Asks for a sync if the log has unsynced records and had its last sync flush.ms ago.
    void sync_if_due(env::Instant now, AfterGuard& after);
    void synced(const storage::Log::PendingSync& done, env::Instant now, AfterGuard& after);
    void sync_failed(const Error& error, AfterGuard& after);
    /// After stop().
    Result<void> close();
    /// A close has something to sync; nothing after it.
    bool is_unsynced() const;
    /// See storage::Log::begin_close().
    Result<void> begin_close();
    Result<void> end_close();
    void abandon();

    // For a cleaner, in cleaning/replica_cleaning.cc; see storage::Log.
    Result<std::optional<storage::DirtyLog>> dirty_part(Offset limit);
    /// Until end_cleaning() no segment goes by age or size: the cleaning opens them by their names.
    /// Nothing if the log is not cleaned now, or is not what it was.
    Result<std::optional<storage::CleaningSource>> begin_cleaning(const storage::DirtyLog& dirty);
    /// Nothing after the first call, or where another cleaning has begun.
    void end_cleaning(const storage::CleaningTicket& ticket);
    bool may_clean(const storage::CleaningTicket& ticket) const;
    /// What a cleaning has left may be removed: the log's directory is where it was.
    bool may_clear_up(const storage::CleaningTicket& ticket) const;
    bool begin_swap_in(const storage::CleaningTicket& ticket,
                       const storage::CleanedSegment& cleaned);
    Result<std::optional<std::vector<std::string>>> replace_by(
        const storage::CleaningTicket& ticket, const storage::CleanedSegment& cleaned);
    /// One of these ends what begin_swap_in() has begun.
    Result<bool> come_home(const storage::CleaningTicket& ticket,
                           const storage::CleanedSegment& cleaned);
    Result<void> call_off_swap_in(const storage::CleaningTicket& ticket);
    void set_cleaned_to(const storage::CleaningTicket& ticket, Offset end);
    std::optional<Offset> cleaned_to() const;

    Result<std::vector<std::string>> remove_old_segments(AfterGuard& after);
    std::optional<Offset> start_to_checkpoint() const;
    DeleteAnswer delete_records(Offset offset, const FollowerCounts& counts, AfterGuard& after);
    DeleteAnswer low_watermark(const FollowerCounts& counts) const;
    std::uint64_t size_bytes() const { return closed_ends_ ? 0 : partition_log_->size_bytes(); }

private:
    LeaderCore* leader() { return std::get_if<LeaderCore>(&role_); }
    const LeaderCore* leader() const { return std::get_if<LeaderCore>(&role_); }
    LogEnds log_ends() const;
    LeaderRules rules() const;
    /// The code with which everything is refused now: KAFKA_STORAGE_ERROR or
    /// NOT_LEADER_OR_FOLLOWER; none if open.
    ErrorCode closed_code() const;
    ProduceAnswer refusal(ErrorCode code, std::string why) const;

    Result<void> lead(const PartitionState& state, env::Instant now, AfterGuard& after);
    Result<void> follow(const PartitionState& state, AfterGuard& after);
    Result<void> begin_epoch(LeaderEpoch epoch);
    bool may_be_cleaned() const;
    /// Cleaned segments may get their names, or go: the log's directory is its own.
    bool has_its_place() const;
    /// The cleaning under way is that one, and the log is as its source has it.
    bool is_cleaned_by(const storage::CleaningTicket& ticket) const;
    Offset tombstones_stay_from() const;
    ErrorCode acknowledge(const FetchQuestion& question, const FetchBounds& bounds,
                          env::Instant now, AfterGuard& after);
    /// Asks for a sync where the topic wants one, or a segment was closed.
    void note_unsynced(AfterGuard& after);
    /// The log can't be used after that error.
    bool is_lost(const Error& error) const;
    ProduceAnswer append_failed(const Error& error, AfterGuard& after);
    /// A batch stamped earlier may come later: it is stamped anew then.
    void keep_append_time_ascending(PreparedBatch& batch, Timestamp wall);
    /// The role that has waited for the end of a write.
    void take_next_state(env::Instant now, AfterGuard& after);
    Result<void> check_not_writing() const;
    /// Why a batch is not even staged; its answer is set then.
    bool refuse_produce(Production& batch) const;
    /// The log now starts at another offset than `before`, if it does.
    void start_raised(Offset before, AfterGuard& after);
    Result<void> read_records(const FetchQuestion& question, Offset upper, FetchAnswer& answer);
    ProduceAnswer refuse_batch(record::Refusal refused) const;
    /// The batch, which lies in the log, is answered at once, or waits.
    ProduceStep settle(const Appended& batch, Production& production);
    FollowerCore* follower() { return std::get_if<FollowerCore>(&role_); }
    const FollowerCore* follower() const { return std::get_if<FollowerCore>(&role_); }
    Result<FollowStep> cut(const FollowerStep& step, AfterGuard& after);
    Result<void> follow_start(const Fetched& fetched, AfterGuard& after);
    void resign(ErrorCode code, AfterGuard& after);
    void carry_out(const LeaderOutput& output, AfterGuard& after);
    /// A start gives thousands of partitions their first roles; what changes later is for the
    /// diary.
    LogLevel role_change_level() const {
        return std::holds_alternative<std::monostate>(role_) ? LogLevel::debug : LogLevel::info;
    }

    const BrokerId self_;
    Logger logger_;
    std::unique_ptr<storage::Log> partition_log_;
    PartitionSettings settings_;
    /// Nothing until the metadata has assigned a role.
    std::variant<std::monostate, LeaderCore, FollowerCore> role_;
    Offset roleless_high_watermark_;
    CurrentLeader current_leader_;
    std::optional<PartitionEpoch> partition_epoch_;
    /// This replica, as the metadata has it.
    bool is_in_sync_ = false;
    WaitingProduces waiting_;
    FetchListeners listeners_;
    Timestamp last_append_time_{-1};
    /// Between begin_produce() and end_produce(), or begin_follow() and end_follow().
    bool is_writing_ = false;
    bool is_copied_ = false;
    /// Between begin_swap() and its end.
    bool is_swapping_ = false;
    /// Segments are being replaced by a cleaned one: the log stays where it is meanwhile.
    bool is_replacing_ = false;
    /// Between begin_cleaning() and end_cleaning().
    struct UnderCleaning {
        storage::CleaningTicket ticket;
        Offset first_segment;
        storage::CompactionOptions options;
    };
    std::optional<UnderCleaning> cleaning_;
    int syncs_running_ = 0;
    /// In the queue of those whose in-sync set is to change.
    bool is_isr_queued_ = false;
    std::optional<PartitionState> next_state_{};
    SyncTurn turn_;
    std::optional<env::Instant> last_sync_;
    bool stopped_ = false;
    /// What the closed log can't be asked any more.
    std::optional<LogEnds> closed_ends_;
    std::optional<Offset> closed_start_to_checkpoint_;
    bool storage_failed_ = false;
};

}  // namespace milena::replication

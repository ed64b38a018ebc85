// SPDX-License-Identifier: Apache-2.0
// The host of a replica: everything under one guard. A call takes the guard once, lets the core
// decide, does the write, and carries the consequences out after it has let go: parked callers are
// answered and listeners told with no guard held, so they may call back in.
//
//   produce: validate | guard: admit, stage, stamp, append, appended, park | answer those that were
//   reached, tell news
//
// To a disk that may stall, the write comes between two guards: stage | write | appended. Nobody
// but the one who appends waits for it.
#pragma once

#include "milena/env/guarded.h"
#include "milena/env/under_way.h"
#include "partition_queue.h"
#include "replica.h"

namespace milena::replication {

class LocalPartition final : public Partition, public std::enable_shared_from_this<LocalPartition> {
public:
    LocalPartition(env::Env& env, const Logger& logger, ReplicaParts parts);

    const TopicPartition& name() const override { return name_; }
    Uuid topic_id() const override { return topic_id_; }

    Result<void> become(const PartitionState& state) override;
    void configure(PartitionSettings settings) override;
    void stop() override;

    ProduceStep produce(Production& batch, ProducePlace place) override;
    void prepare(Production& batch) const override;
    env::WriteLane* write_lane() override { return lane().get(); }
    env::Instant expire(env::Instant now) override;

    FetchAnswer fetch(const FetchQuestion& question) override;
    std::vector<ReadableFollower> readable_followers(Offset from) const override;
    void listen(std::weak_ptr<FetchListener> listener) override;
    void unlisten(const FetchListener* listener) override;

    std::optional<FetchPlan> next_fetch() override;
    bool is_throttled(CopySide side) const override;
    bool is_behind() const override;
    Result<FollowStep> take_fetched(const FetchPlan& plan, const FetchedPart& part,
                                    ProducePlace place) override;
    Result<FollowStep> take_out_of_range(const FetchPlan& plan, Offset leader_start,
                                         Offset leader_end) override;

    std::optional<IsrProposal> propose_isr() override;
    void isr_accepted(std::vector<BrokerId> in_sync_replicas, PartitionEpoch epoch) override;
    void isr_refused(IsrRefusal why) override;

    OffsetAnswer find_offset(const OffsetQuestion& question) override;
    EpochAnswer end_of_epoch(LeaderEpoch current_leader_epoch, LeaderEpoch epoch) override;

    Result<std::vector<storage::ActiveProducer>> active_producers() const override;
    void expire_producers(Timestamp now) override;
    DeleteAnswer delete_records(Offset offset, const FollowerCounts& counts) override;
    DeleteAnswer low_watermark(const FollowerCounts& counts) const override;
    std::uint64_t size_bytes() const override;

    Offset high_watermark() const override;
    Offset log_start_offset() const override;
    Offset log_end_offset() const override;
    CurrentLeader current_leader() const override;
    Figures figures() const override;
    Traffic& traffic() override { return traffic_; }
    bool offline() const override;

    Result<void> flush() override;
    Offset durable_end_offset() const override;
    Result<void> close() override;

    /// From now on the log is queued there when it is to be synced: for somebody who calls flush()
    /// then. Before anything is appended.
    void queue_syncs_in(PartitionQueue<LocalPartition>& queue) {
        place_.with([&](Place& place) { place.syncs = &queue; });
    }
    /// The same when its in-sync set is to change: for somebody who calls propose_isr() then.
    void queue_isr_changes_in(PartitionQueue<LocalPartition>& queue) { isr_changes_ = &queue; }
    /// The same when its log has met an error of the disk: once.
    void queue_failure_in(PartitionQueue<LocalPartition>& queue) { failures_ = &queue; }
    /// The lane of its directory, which a partition by itself has for its own. Before anything is
    /// appended, or when the log has come into another directory; then who has the old one still
    /// writes in its turn.
    void write_through(std::shared_ptr<env::WriteLane> lane) {
        place_.with([&](Place& place) { place.lane = std::move(lane); });
    }
    std::shared_ptr<const PartitionSettings> settings() const { return settings_.load(); }

    /// See Replica. From any thread.
    void set_copied(bool is_copied);
    /// See Replica. Called in the turn of write_lane().
    bool begin_swap();
    Result<std::unique_ptr<storage::Log>> end_swap(const Replica::Successor& successor);
    void give_up_swap();
    /// Queues the log if it has unsynced records and its flush.ms is over.
    void sync_if_due();

    // For a cleaner; see Replica and storage::Log.
    Result<std::optional<storage::DirtyLog>> dirty_part(Offset limit);
    Result<std::optional<storage::CleaningSource>> begin_cleaning(const storage::DirtyLog& dirty);
    void end_cleaning(const storage::CleaningTicket& ticket);
    bool may_clean(const storage::CleaningTicket& ticket) const;
    bool may_clear_up(const storage::CleaningTicket& ticket) const;
    bool begin_swap_in(const storage::CleaningTicket& ticket,
                       const storage::CleanedSegment& cleaned);
    Result<std::optional<std::vector<std::string>>> replace_by(
        const storage::CleaningTicket& ticket, const storage::CleanedSegment& cleaned);
    Result<bool> come_home(const storage::CleaningTicket& ticket,
                           const storage::CleanedSegment& cleaned);
    Result<void> call_off_swap_in(const storage::CleaningTicket& ticket);
    void set_cleaned_to(const storage::CleaningTicket& ticket, Offset end);
    std::optional<Offset> cleaned_to() const;
    /// Runs what finds files by their names; wait_for_writes() waits for it.
    template <class F>
    auto in_its_directory(F&& work) {
        const env::UnderWay::Mark mark(writes_);
        return std::forward<F>(work)();
    }

    /// See storage::Log::remove_old_segments(); some at once, until none is given.
    Result<std::vector<std::string>> remove_old_segments();
    env::Duration file_delete_delay() const { return settings_.load()->file_delete_delay; }
    env::Duration directory_delete_delay() const {
        return settings_.load()->directory_delete_delay;
    }
    /// The log's start if no segment begins there, so that its files do not tell it.
    std::optional<Offset> start_to_checkpoint() const;
    bool is_unsynced() const;
    /// The halves of close() for many logs of one directory; see storage::Log::begin_close().
    Result<void> begin_close();
    Result<void> end_close();
    /// Like stop() and close(), of a log that nobody will want again: nothing is written or synced.
    void abandon();
    /// After abandon(): returns when no thread makes or writes a file in the log's directory any
    /// more, so that its name is free for another log. Blocks for as long as a write takes that was
    /// under way.
    void wait_for_writes() { writes_.wait_for_none(); }

    /// Its directory has failed: everything waiting and every later call is answered
    /// KAFKA_STORAGE_ERROR.
    void take_offline();

private:
    /// Runs `decide(replica, after)` under the guard and its consequences after it.
    template <class F>
    auto decide(F&& decide);
    /// The step of a batch that is prepared and may be written here, with the guard or without it
    /// while it is written.
    ProduceStep append_in_place(Production& batch, env::WriteLane& lane);
    ProduceStep append_in_pool(Production& batch);
    Result<FollowStep> follow_in_pool(Replica::Fetched& fetched);
    void carry_out(AfterGuard& after);
    void tell(NewsRound& round);

    env::Clock& clock_;
    const TopicPartition name_;
    const Uuid topic_id_;
    /// What validation needs; read without the guard.
    env::Published<PartitionSettings> settings_;
    env::Guarded<Replica> replica_;
    Traffic traffic_;
    /// What is written without the guard and finds its files by their paths.
    env::UnderWay writes_;
    PartitionQueue<LocalPartition>* isr_changes_ = nullptr;
    PartitionQueue<LocalPartition>* failures_ = nullptr;
    /// What it shares with the others in its directory.
    struct Place {
        std::shared_ptr<env::WriteLane> lane = std::make_shared<env::WriteLane>();
        PartitionQueue<LocalPartition>* syncs = nullptr;
    };
    std::shared_ptr<env::WriteLane> lane() const {
        return place_.with([](const Place& place) { return place.lane; });
    }
    env::Guarded<Place> place_;
};

}  // namespace milena::replication

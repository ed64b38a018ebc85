// SPDX-License-Identifier: Apache-2.0
// A replica of one partition on this node: a pure core that decides (offsets, high watermark,
// in-sync replicas, who is answered when) and its log, under one guard. Every call may come from
// any thread, takes the guard for one decision, and never waits for another thread's. With the
// guard held batches are written only to a disk that is calm. Its other work with the disk is short
// and may still have to wait for it: where a fetch or a lookup begins an index block and headers
// are read, with the first batch of a producer after a start the end of the log; a new role may cut
// the log, retention renames files, and a stop writes what is left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "milena/env/env.h"
#include "milena/env/write_lane.h"
#include "milena/replication/figures.h"
#include "milena/replication/following.h"
#include "milena/replication/isr_proposal.h"
#include "milena/replication/production.h"
#include "milena/replication/quotas.h"
#include "milena/storage/log.h"
#include "milena/storage/log_directory.h"

namespace milena::replication {

using storage::FileRange;
using storage::TopicPartition;

/// What the metadata says of the partition; a change comes as a new one.
struct PartitionState {
    BrokerId leader = kNoBroker;
    LeaderEpoch leader_epoch = kNoLeaderEpoch;
    PartitionEpoch partition_epoch;
    std::vector<BrokerId> replicas;
    std::vector<BrokerId> in_sync_replicas;

    bool operator==(const PartitionState&) const = default;
};

/// Partitions of one topic: all, or some that are named.
struct PartitionSet {
    bool has_all = false;
    std::vector<PartitionIndex> some{};

    bool contains(PartitionIndex partition) const {
        return has_all || std::ranges::find(some, partition) != some.end();
    }
};

/// Whose side of a throttled copy: the one that sends, or the one that fetches.
enum class CopySide : std::uint8_t { leader, follower };

/// Which replicas of a topic are copied no faster than the broker's quotas say, where this broker
/// is that side (leader. and follower.replication.throttled.replicas).
struct ThrottledReplicas {
    PartitionSet at_leader;
    PartitionSet at_follower;
};

/// The topic's settings, resolved; replaced as a whole when one changes.
struct PartitionSettings {
    record::ProduceRules rules;
    /// compression.type: what batches are stored in; nothing: as the client has sent them.
    std::optional<record::Codec> codec{};
    /// compression.*.level, for batches that are compressed anew.
    record::CompressionLevels compression_levels{};
    std::int32_t min_insync_replicas = 1;
    /// replica.lag.time.max.ms: how long an in-sync follower may go without reaching the log end.
    env::Duration replica_lag_max = std::chrono::seconds(30);
    /// Only what is synced counts as had, by this replica and by a producer with acks=1
    /// (flush.messages=1).
    bool acks_need_sync = false;
    /// flush.messages: so many records without a sync ask for one.
    std::int64_t flush_messages = INT64_MAX;
    /// flush.ms: how long after the last sync a log with unsynced records is due for one.
    env::Duration flush_interval = env::Duration::max();
    /// cleanup.policy is compact alone: records go when newer ones come, not by their offset.
    bool keeps_latest_only = false;
    /// file.delete.delay.ms: how long the files of a segment stay that has left the log.
    env::Duration file_delete_delay = std::chrono::minutes(1);
    /// log.segment.delete.delay.ms: the same for its directory when it is deleted; as in Kafka, the
    /// topic's own delay does not count for that.
    env::Duration directory_delete_delay = std::chrono::minutes(1);
    /// Null: none.
    std::shared_ptr<const ThrottledReplicas> throttled{};
    storage::LogOptions log;
};

/// One partition's part of a Fetch.
struct FetchQuestion {
    Offset from;
    LeaderEpoch current_leader_epoch = kNoLeaderEpoch;  ///< −1: not checked
    LeaderEpoch last_fetched_epoch = kNoLeaderEpoch;    ///< −1: no divergence check (KIP-595)
    Offset log_start_offset{-1};                        ///< of a follower
    BrokerId replica = kNoBroker;                       ///< −1 for a consumer
    BrokerEpoch replica_epoch{-1};                      ///< of a follower's process (KIP-903)
    bool leader_only = true;  ///< a consumer that knows of follower fetching (v11+, KIP-392) may
                              ///< read from any replica
    bool read_committed = false;
    std::uint64_t bytes_max = 0;
    bool at_least_one_batch =
        false;  ///< give the first batch whole even if it is longer than bytes_max
    /// A follower's, where there is a limit: if the partition is throttled, one that is not in sync
    /// gets no records while this is exceeded (KIP-73). Counting is the asker's.
    ReplicationQuota* quota = nullptr;
    /// Of a copy that is made in another directory of this broker: it reads to the log's end, of
    /// whatever role, and is told to cut what this log does not have.
    bool is_copy = false;
};

struct FetchAnswer {
    ErrorCode code = ErrorCode::none;
    Offset high_watermark{-1};
    Offset last_stable_offset{-1};
    Offset log_start_offset{-1};
    FileRange records;
    /// What a consumer that reads committed data has to leave out of them.
    std::vector<storage::AbortedTransaction> aborted;
    std::optional<storage::EpochEnd> diverging_epoch;
    CurrentLeader current_leader;  ///< set with NOT_LEADER_OR_FOLLOWER and FENCED_LEADER_EPOCH
    /// The records count for the question's quota.
    bool is_throttled = false;
    /// There may be records, and the quota has none to spare now: to be asked again.
    bool is_withheld = false;
};

/// Told, on any thread with no guard held, that a partition has news: more to read for a consumer
/// (its high watermark moved) or for a follower (its log end moved), or its leadership changed.
/// Must be quick.
class FetchListener {
public:
    virtual ~FetchListener() = default;
    virtual void partition_has_news() = 0;
};

/// An in-sync follower, from which a consumer may read in place of its leader (KIP-392).
struct ReadableFollower {
    BrokerId replica = kNoBroker;
    Offset log_end{-1};
    env::Duration since_caught_up{};

    bool operator==(const ReadableFollower&) const = default;
};

struct OffsetAnswer {
    ErrorCode code = ErrorCode::none;
    Timestamp timestamp{-1};
    Offset offset{-1};
    LeaderEpoch leader_epoch = kNoLeaderEpoch;
};

/// The numbers that ListOffsets gives a meaning to in place of a time (KIP-79, KIP-734, KIP-405,
/// KIP-1005, KIP-1023).
enum class OffsetSpec : std::int64_t {
    latest = -1,
    earliest = -2,
    max_timestamp = -3,
    earliest_local = -4,
    latest_tiered = -5,
    earliest_pending_upload = -6,
};

struct OffsetQuestion {
    std::int64_t timestamp_or_spec = -1;
    LeaderEpoch current_leader_epoch = kNoLeaderEpoch;
    BrokerId replica =
        kNoBroker;  ///< −1 a consumer, −2 a debugging consumer that any replica answers
    bool read_committed = false;
};

/// Where an epoch ended, for OffsetForLeaderEpoch; epoch and offset −1 if this leader has not heard
/// of it.
struct EpochAnswer {
    ErrorCode code = ErrorCode::none;
    storage::EpochEnd end;
};

/// What DeleteRecords has come to: every replica that counts starts at `low_watermark` or later.
struct DeleteAnswer {
    ErrorCode code = ErrorCode::none;
    Offset low_watermark{-1};
    /// The start that was asked for, −1 resolved: all is done when the low watermark is there.
    Offset requested{-1};
};

/// Whether a follower is waited for: those of dead brokers are not.
using FollowerCounts = std::function<bool(BrokerId)>;

/// What a replica is made of.
struct ReplicaParts {
    BrokerId self;
    TopicPartition name;
    Uuid topic_id;
    std::unique_ptr<storage::Log> log;  ///< open
    Offset high_watermark;              ///< as it was checkpointed; cut to the log
    PartitionSettings settings;
};

class Partition {
public:
    /// Without a role until become(): NOT_LEADER_OR_FOLLOWER to everybody.
    static std::shared_ptr<Partition> make(env::Env& env, const Logger& logger, ReplicaParts parts);
    virtual ~Partition() = default;

    virtual const TopicPartition& name() const = 0;
    virtual Uuid topic_id() const = 0;

    /// Leader or follower as `state` says. States that are not newer (by partition epoch) are
    /// ignored. Parked produces of a leadership that ended are answered NOT_LEADER_OR_FOLLOWER;
    /// listeners are told. An error is the disk's, and the replica is as it was.
    virtual Result<void> become(const PartitionState& state) = 0;
    virtual void configure(PartitionSettings settings) = 0;
    /// The partition is going away (deleted or shut down): everything parked and every later call
    /// is answered NOT_LEADER_OR_FOLLOWER. The log stays open for those who read; close() comes
    /// after.
    virtual void stop() = 0;

    /// Validates the one batch in `batch.records`, writes offset and epoch into it in place and
    /// appends it. Parked, its `done` is called when the high watermark passes the batch, the
    /// leadership ends, or expire() says so. A batch that its producer has sent before, one of the
    /// last five, is not appended again and answered as it was then, with acks=all when the high
    /// watermark passes it where it lies. The codes, in this order: INVALID_RECORD or
    /// CORRUPT_MESSAGE for what is not one batch, KAFKA_STORAGE_ERROR, NOT_LEADER_OR_FOLLOWER,
    /// NOT_ENOUGH_REPLICAS (acks=all), those of record::validate_produced(), RECORD_LIST_TOO_LARGE,
    /// those of storage::Log::check_producer(). On a core it writes in place only what
    /// write_lane() takes there, and appends nothing while another thread does.
    virtual ProduceStep produce(Production& batch, ProducePlace place) = 0;
    /// The first part of produce(), the longest if the batch is compressed: what can be known
    /// without the partition's state. Takes no guard.
    virtual void prepare(Production& batch) const = 0;
    /// That of the partition's log directory; null if it has none.
    virtual env::WriteLane* write_lane() = 0;
    /// Answers REQUEST_TIMED_OUT to parked produces whose deadline has come; the earliest that
    /// remains, kNever if there is none.
    virtual env::Instant expire(env::Instant now) = 0;

    /// Waits neither for news nor for records: it reads no more than where they lie. A follower's
    /// question also tells the leader how far it has come (KIP-595): in-sync replicas and high
    /// watermark move with it.
    virtual FetchAnswer fetch(const FetchQuestion& question) = 0;
    /// `listener` is told of news from now on, at least once after each change, until unlisten();
    /// not kept alive by the partition. Whoever wants to wait listens first and reads then: news
    /// between the two is told.
    virtual void listen(std::weak_ptr<FetchListener> listener) = 0;
    virtual void unlisten(const FetchListener* listener) = 0;

    /// Those that have what lies at `from`, as their leader knows them; none if this is not it.
    virtual std::vector<ReadableFollower> readable_followers(Offset from) const = 0;

    /// What this follower asks its leader for next; nothing if it does not follow, knows no leader,
    /// or has to be flushed first. The same until the log or the leadership changes.
    virtual std::optional<FetchPlan> next_fetch() = 0;
    /// Copies of this replica, or this replica as a copy, are throttled.
    virtual bool is_throttled(CopySide side) const = 0;
    /// A follower that is not in sync and, for all it knows, lacks what is committed.
    virtual bool is_behind() const = 0;
    /// The leader's answer to `plan`: appends what was fetched, or cuts the log where both part,
    /// and moves the high watermark. An answer that came too late changes nothing. CORRUPT_MESSAGE
    /// for batches that a follower does not take (a wrong CRC, a gap backwards), an error of the
    /// disk; the log is as it was then.
    virtual Result<FollowStep> take_fetched(const FetchPlan& plan, const FetchedPart& part,
                                            ProducePlace place) = 0;
    /// `plan` was answered OFFSET_OUT_OF_RANGE, and that is where the leader's log begins and ends.
    /// In the disk pool.
    virtual Result<FollowStep> take_out_of_range(const FetchPlan& plan, Offset leader_start,
                                                 Offset leader_end) = 0;

    /// What this leader has to ask the controller for: once for each change; nothing while an
    /// answer is outstanding.
    virtual std::optional<IsrProposal> propose_isr() = 0;
    /// The controller has committed that set, in answer to a proposal.
    virtual void isr_accepted(std::vector<BrokerId> in_sync_replicas, PartitionEpoch epoch) = 0;
    virtual void isr_refused(IsrRefusal why) = 0;

    /// ListOffsets. Searches by time may read from the disk: for a pool if the log is long.
    virtual OffsetAnswer find_offset(const OffsetQuestion& question) = 0;
    /// OffsetForLeaderEpoch: FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, NOT_LEADER_OR_FOLLOWER as
    /// for a fetch.
    virtual EpochAnswer end_of_epoch(LeaderEpoch current_leader_epoch, LeaderEpoch epoch) = 0;

    /// DescribeProducers, of any replica; by producer id. Its errors are those of a closed replica.
    virtual Result<std::vector<storage::ActiveProducer>> active_producers() const = 0;
    /// Forgets those that were silent for producer.id.expiration.ms.
    virtual void expire_producers(Timestamp now) = 0;
    /// DeleteRecords: raises the log start to `offset`, −1 for the high watermark.
    /// NOT_LEADER_OR_FOLLOWER, POLICY_VIOLATION of a topic that is only compacted,
    /// OFFSET_OUT_OF_RANGE below 0 and above the high watermark; an offset below the start is a
    /// success. The files go with the next retention check.
    virtual DeleteAnswer delete_records(Offset offset, const FollowerCounts& counts) = 0;
    /// The low watermark as it is now, NOT_LEADER_OR_FOLLOWER when the leadership has ended.
    virtual DeleteAnswer low_watermark(const FollowerCounts& counts) const = 0;
    virtual std::uint64_t size_bytes() const = 0;

    virtual Offset high_watermark() const = 0;
    virtual Offset log_start_offset() const = 0;
    virtual Offset log_end_offset() const = 0;
    virtual CurrentLeader current_leader() const = 0;
    /// For metrics.
    virtual Figures figures() const = 0;
    virtual Traffic& traffic() = 0;
    /// The disk has failed it: everything is answered KAFKA_STORAGE_ERROR.
    virtual bool offline() const = 0;

    /// Syncs the log outside the guard (for the pool); then the durable end counts.
    virtual Result<void> flush() = 0;
    /// The recovery point: everything below is synced.
    virtual Offset durable_end_offset() const = 0;
    /// Clean stop: nothing may be called after.
    virtual Result<void> close() = 0;
};

}  // namespace milena::replication

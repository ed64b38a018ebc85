// SPDX-License-Identifier: Apache-2.0
// One replica of the metadata quorum as a state machine: elections with pre-vote, replication by
// fetch, high watermark, leader epochs, voters that change where they are appended. It is given an
// event and the time, changes its state and says what to do; it has no thread, no clock and no
// disk, and the same events give the same outputs.
//
// Whoever runs it does what an Output asks for in the order of its fields, and the Outputs in the
// order they came: nothing of an Output may leave the node before `persist` is durable. It may take
// new events meanwhile.
#pragma once

#include <memory>

#include "milena/raft/messages.h"

namespace milena::raft {

/// What a replica must not forget: kept in the file quorum-state.
struct QuorumState {
    LeaderEpoch epoch{0};
    BrokerId leader = kNoBroker;
    /// Who got this replica's vote in `epoch`. A leader's own vote goes without saying.
    std::optional<ReplicaKey> voted;

    bool operator==(const QuorumState&) const = default;
    std::string text() const;
};

enum class Role { unattached, prospective, candidate, leader, follower, resigned };
std::string_view text(Role role);

struct CoreOptions {
    ReplicaKey self;
    /// Under which the others reach this replica, the listener that all use first; none if it can't
    /// be a voter.
    std::vector<VoterEndpoint> endpoints{};
    /// An observer asks by itself to become a voter.
    bool auto_join = false;
    /// Of controller.quorum.bootstrap.servers, who are asked who leads.
    std::size_t bootstrap_servers = 0;
    Duration election_timeout = std::chrono::milliseconds(1000);
    Duration election_backoff_max = std::chrono::milliseconds(1000);
    Duration fetch_timeout = std::chrono::milliseconds(2000);
    Duration request_timeout = std::chrono::milliseconds(2000);
    Duration retry_backoff = std::chrono::milliseconds(20);
    /// How long a leader may keep a fetch that it has nothing for.
    Duration fetch_max_wait = std::chrono::milliseconds(500);
    /// Of the timeouts' randomness.
    std::uint64_t seed = 0;
    /// Ids of requests begin after this. Drawn anew at each start, so that an answer to the process
    /// before is no answer.
    std::uint64_t first_request_id = 0;
};

struct EpochStart {
    LeaderEpoch epoch;
    Offset start_offset;

    bool operator==(const EpochStart&) const = default;
};

/// The voters that hold from one place of the log on.
struct VotersAt {
    /// The batch that named them; −1 if it was configuration or the bootstrap snapshot.
    Offset offset{-1};
    std::int16_t kraft_version = 0;
    VoterSet voters;

    bool operator==(const VotersAt&) const = default;
};

/// What was found on disk, all of it durable.
struct RecoveredState {
    QuorumState quorum;
    Offset log_start_offset;
    Offset log_end_offset;
    /// In order; the epoch of a snapshot at the log's start among them.
    std::vector<EpochStart> epochs;
    /// In order, at least one.
    std::vector<VotersAt> voters;
    /// The newest snapshot.
    std::optional<SnapshotId> snapshot;
    /// The one at whose end the log begins; nothing if the log has its first record.
    std::optional<SnapshotId> log_start_snapshot{};
};

// Events.

/// The first event.
struct Start {};
/// The time that an Output named has come.
struct Tick {};
/// The controller wants to append a batch of this many records as leader of `expected_epoch`.
struct Propose {
    LeaderEpoch expected_epoch;
    std::int32_t record_count = 1;
};
/// Everything below can be read from the log.
struct Appended {
    Offset end;
};
/// Everything below is durable.
struct Synced {
    Offset end;
};
/// A snapshot that may_snapshot() allowed is durable.
struct SnapshotTaken {
    SnapshotId id;
};
/// The log begins at the end of this snapshot from now on, which is not beyond the newest: what lay
/// below is in snapshots only.
struct LogCleaned {
    SnapshotId first;
};
/// What Output::load_snapshot asked for is done, durably: the log is empty and begins at its end.
struct SnapshotLoaded {
    SnapshotId id;
    VotersAt voters;
};
/// A snapshot that is being fetched was of no use, or there is no room for it. The replica asks
/// anew after a while.
struct SnapshotRefused {
    SnapshotId id;
    std::string why;
};
/// The log, or quorum-state, could not be written. The replica takes no further part.
struct StorageFailed {
    std::string why;
};
/// A request of another replica; its answer is a Reply with this id, now or later.
struct Received {
    RequestId id;
    Request request;
};
/// The answer to a message that was sent.
struct Answered {
    BrokerId from;
    RequestId id;
    Response response;
};
/// The message was not delivered, or its connection closed before the answer came.
struct SendFailed {
    BrokerId to;
    RequestId id;
};
/// The leader's connection closed and a new one was refused: its process is gone, there is no need
/// to wait for silence.
struct LeaderRefused {
    BrokerId leader;
};
/// The node is about to stop: leadership is handed over, no vote is asked for or given.
struct Shutdown {};

using Event = std::variant<Start, Tick, Propose, Appended, Synced, SnapshotTaken, LogCleaned,
                           SnapshotLoaded, SnapshotRefused, StorageFailed, Received, Answered,
                           SendFailed, LeaderRefused, Shutdown>;

struct Message {
    /// A replica, or a bootstrap_server().
    BrokerId to;
    RequestId id;
    Request request;
    /// Where it is reached, if the voters do not say.
    std::vector<VoterEndpoint> endpoints{};

    bool operator==(const Message&) const = default;
};

struct Reply {
    RequestId id;
    Response response;

    bool operator==(const Reply&) const = default;
};

/// A piece of a snapshot that is being fetched. One at position 0 begins it; what was fetched of
/// another before is of no use any more.
struct SnapshotChunk {
    SnapshotId id;
    BytePosition position;
    BytePosition size;  ///< of the whole
    std::shared_ptr<const std::vector<std::byte>> bytes;

    bool operator==(const SnapshotChunk&) const = default;
};

/// The leader that this replica knows has changed.
struct LeadershipChange {
    LeaderEpoch epoch;
    BrokerId leader = kNoBroker;
    bool is_self = false;
    /// If is_self: offset of the record that begins the epoch. Once it is committed, so is all
    /// before it.
    Offset epoch_start_offset{-1};

    bool operator==(const LeadershipChange&) const = default;
};

struct Output {
    /// To be durable before anything below is done.
    std::optional<QuorumState> persist;
    /// Drop all batches from here on, durably.
    std::optional<Offset> truncate_to;
    /// To append in order and then sync; told by Appended and Synced, which may speak of several
    /// appends at once.
    std::vector<Batch> appends;
    /// To write; needs not be durable.
    std::optional<SnapshotChunk> snapshot_chunk;
    /// All pieces of it are there: to be checked and made durable, then the log is to be emptied
    /// and to begin at its end. Told by SnapshotLoaded or SnapshotRefused; until then nothing else
    /// is done to the log.
    std::optional<SnapshotId> load_snapshot;
    std::vector<Message> messages;
    std::vector<Reply> replies;
    /// Answer to a Propose that was not taken.
    std::optional<Error> refused;
    std::optional<LeadershipChange> leadership;
    /// Everything below is committed and in the local log.
    std::optional<Offset> high_watermark;
    /// Something that must not happen came from another replica; for the log.
    std::vector<std::string> complaints;
    /// When the next Tick is due; replaces what earlier outputs said.
    Instant wake_at = env::kNever;

    bool operator==(const Output&) const = default;
    /// A line for each thing to do.
    std::string text() const;
};

/// How far a replica that fetches from this leader has come.
struct ReplicaProgress {
    ReplicaKey key;
    Offset durable_end{-1};
    std::optional<Instant> fetched_at;
    /// When it last asked for what is beyond the leader's end.
    std::optional<Instant> caught_up_at;
    bool is_voter = false;

    bool operator==(const ReplicaProgress&) const = default;
};

class Replica;

class Core {
public:
    Core(CoreOptions options, RecoveredState recovered);
    ~Core();
    Core(Core&&) noexcept;
    Core& operator=(Core&&) noexcept;

    Output step(const Event& event, Instant now);

    Role role() const;
    LeaderView view() const;
    const VoterSet& voters() const;
    std::int16_t kraft_version() const;
    /// Those that hold for a snapshot of everything below `end`.
    const VotersAt& voters_at(Offset end) const;
    /// Whether a snapshot with this id would say something new, and only what is committed.
    bool may_snapshot(const SnapshotId& id) const;
    /// The other replicas that a leader has heard of; nobody elsewhere.
    std::vector<ReplicaProgress> progress() const;
    Offset log_start_offset() const;
    /// With what was asked to be appended and is not yet.
    Offset log_end_offset() const;
    std::optional<Offset> high_watermark() const;

private:
    std::unique_ptr<Replica> replica_;
};

}  // namespace milena::raft

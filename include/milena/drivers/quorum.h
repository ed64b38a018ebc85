// SPDX-License-Identifier: Apache-2.0
// This node's part in the metadata quorum: the raft core, run with a real log, a clock and the disk
// pool. The controller appends through it and hears through it what is committed; a broker on the
// same node hears the same.
//
// Everything here is called, and every listener is called, on env.control(). Nothing blocks that
// thread but writes to the page cache: syncs go to the quorum's pool, where appends that wait share
// one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "milena/base/logger.h"
#include "milena/drivers/quorum_figures.h"
#include "milena/env/env.h"
#include "milena/raft/core.h"
#include "milena/server/quorum_port.h"

namespace milena::drivers {

using env::Timestamp;

/// One batch of the metadata log, or of a snapshot of it.
struct MetadataBatch {
    Offset base_offset;
    Offset last_offset;
    LeaderEpoch epoch;
    Timestamp timestamp;
    /// Values of the records base_offset, base_offset + 1, … (frame version, record key, record
    /// version, message). None in a control batch, which only moves the offset. Views live as long
    /// as the call that hands them out.
    std::vector<BytesView> values;
    std::size_t bytes = 0;  ///< of the batch, as it lies in the log
};

/// A snapshot as a whole: the state of everything below `end_offset`.
struct MetadataSnapshot {
    Offset end_offset;  ///< the first offset that is not in it; 0 for the one that formatting left
                        ///< (bootstrap)
    LeaderEpoch epoch;  ///< of the last record in it
    Timestamp last_contained_timestamp;
    /// Data batches only; their offsets count from 0 inside the snapshot and mean nothing in the
    /// log.
    std::vector<MetadataBatch> batches;
};

/// Who hears of the quorum. Calls come in the order of the log and never inside a call to Quorum.
class QuorumListener {
public:
    virtual ~QuorumListener() = default;
    /// Forget everything and take this state. First thing after the start if there is a snapshot,
    /// and whenever one was fetched because the leader's log begins behind the end of this node's:
    /// it is newer than all that was handed over before.
    virtual void on_snapshot(const MetadataSnapshot& snapshot) = 0;
    /// Committed batches, each one once, without gaps from the last snapshot's end (or 0) on.
    virtual void on_committed(std::span<const MetadataBatch> batches) = 0;
    /// `leader` leads `epoch`, or nobody known does (kNoBroker). If it is this node, everything
    /// that earlier leaders committed has been handed to on_committed() before, and appends for
    /// `epoch` are taken from now on.
    virtual void on_leader_change(LeaderEpoch epoch, BrokerId leader, bool is_self) = 0;
    /// The quorum of this node has ended on an error of the disk; nothing more is called.
    virtual void on_failed(const Error& why) = 0;
};

struct QuorumOptions {
    /// .../__cluster_metadata-0, made if absent.
    std::string directory;
    std::string cluster_id;
    BrokerId node_id;
    Uuid directory_id;
    /// controller.quorum.voters; used while the log and its snapshots name no voters (kraft.version
    /// 0).
    std::vector<raft::Voter> static_voters;
    /// controller.quorum.bootstrap.servers: who is asked who leads.
    std::vector<env::Endpoint> bootstrap_servers{};
    /// The listener under which replicas reach each other.
    std::string listener{};
    /// Where this node is reached by them; none if it is no controller and never votes.
    std::vector<raft::VoterEndpoint> endpoints{};
    bool auto_join = false;  ///< controller.quorum.auto.join.enable
    env::Duration election_timeout = std::chrono::milliseconds(1000);
    env::Duration election_backoff_max = std::chrono::milliseconds(1000);
    env::Duration fetch_timeout = std::chrono::milliseconds(2000);
    env::Duration request_timeout = std::chrono::milliseconds(2000);
    env::Duration retry_backoff = std::chrono::milliseconds(20);
    /// Of records in an answer to a fetch of ours.
    std::uint32_t fetch_bytes_max = 1 << 20;
    /// Of a snapshot, in one answer.
    std::uint32_t snapshot_bytes_max = 1 << 20;
    /// Longest batch that append() takes.
    std::size_t batch_bytes_max = 8ULL << 20;
    /// Bytes appended and not yet committed, above which append() refuses.
    std::size_t uncommitted_bytes_max = 64ULL << 20;
    std::uint64_t segment_bytes = 1ULL << 30;            ///< metadata.log.segment.bytes
    std::int64_t segment_ms = 7LL * 24 * 3600 * 1000;    ///< metadata.log.segment.ms
    std::int64_t retention_bytes = 100LL << 20;          ///< metadata.max.retention.bytes
    std::int64_t retention_ms = 7LL * 24 * 3600 * 1000;  ///< metadata.max.retention.ms
};

/// Takes the value of one record.
using RecordSink = std::function<void(std::vector<std::byte>)>;

/// A state of the metadata that is to become a snapshot.
struct SnapshotContent {
    /// The first offset that is not in it: where a batch begins.
    Offset end_offset;
    LeaderEpoch epoch;  ///< of the last record in it
    Timestamp last_contained_timestamp;
    /// Gives the records that make the state, in order. Called in the disk pool.
    std::function<void(const RecordSink&)> records;
};

/// Where records were put: not yet committed when it is handed out.
struct AppendedRange {
    Offset base_offset;
    Offset last_offset;
};

/// A snapshot file.
struct StoredMetadataSnapshot {
    Offset end_offset;
    std::uint64_t bytes = 0;
    Timestamp last_contained_timestamp;
};

struct QuorumStatus {
    BrokerId leader = kNoBroker;
    LeaderEpoch epoch;
    bool is_leader = false;
    Offset log_start_offset;
    Offset log_end_offset;
    /// First offset that is not known to be committed; nothing until a leader has told.
    std::optional<Offset> high_watermark;
    raft::VoterSet voters;
    std::int16_t kraft_version = 0;
    /// Where the leader is reached, as far as it is known.
    std::optional<raft::VoterEndpoint> leader_endpoint;
    QuorumFigures figures{};
};

class Quorum : public server::QuorumPort {
public:
    /// Opens log, snapshots and quorum-state and recovers them. Blocks, as starting a node does.
    /// The error names the file. INVALID_CONFIG if neither a voter nor a bootstrap server is known,
    /// or if the only voter is this node's with another directory: its disk was exchanged.
    static Result<std::unique_ptr<Quorum>> open(env::Env& env, Logger logger,
                                                QuorumOptions options);

    /// Hands the newest snapshot to the listeners and takes part from now on; returns at once. A
    /// node that is the only voter leads as soon as its vote and its first record are synced.
    /// Listeners outlive stop().
    virtual void start(std::vector<QuorumListener*> listeners) = 0;

    /// Puts the records into the log as one batch, all or nothing, and says where; on_committed()
    /// tells when they are committed, on_leader_change() that they may be lost. NOT_CONTROLLER if
    /// this node does not lead `expected_epoch`, RECORD_LIST_TOO_LARGE above batch_bytes_max,
    /// REQUEST_TIMED_OUT while uncommitted_bytes_max are waiting.
    virtual Result<AppendedRange> schedule(LeaderEpoch expected_epoch,
                                           std::vector<std::vector<std::byte>> record_values) = 0;
    /// schedule(), then waits until the batch is committed and handed to the listeners: its last
    /// offset. NOT_CONTROLLER also if leadership is lost while it waits; the records may then be
    /// committed or not.
    virtual env::Task<Result<Offset>> append(LeaderEpoch expected_epoch,
                                             std::vector<std::vector<std::byte>> record_values) = 0;

    /// Writes a snapshot, in the disk pool, and gives its size once it is durable. After it, and
    /// now and then, what metadata.max.retention.* no longer keep of older snapshots is removed,
    /// and of the log below them. INVALID_REQUEST if the content is
    /// not committed, or if there is a snapshot as new; NOT_CONTROLLER if the quorum stops
    /// meanwhile. One at a time.
    virtual env::Task<Result<std::uint64_t>> write_snapshot(SnapshotContent content) = 0;
    /// The newest snapshot on disk, the one that formatting left among them.
    virtual std::optional<StoredMetadataSnapshot> newest_snapshot() const = 0;

    virtual QuorumStatus status() const = 0;
    /// How far the others are, as their leader knows it; nobody elsewhere.
    virtual std::vector<raft::ReplicaProgress> progress() const = 0;

    /// Gives up leadership, finishes what is being written and closes the log. Waiting appends fail
    /// with NOT_CONTROLLER.
    virtual env::Task<void> stop() = 0;
};

}  // namespace milena::drivers

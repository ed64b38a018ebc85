// SPDX-License-Identifier: Apache-2.0
// What the voters and observers of the metadata quorum say to each other (KIP-595, KIP-853,
// KIP-996), as the core sees it: one partition, strong ids, and no bytes. The wire structs are
// translated at the edge; so are cluster ids, which are checked before a message gets here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "milena/base/result.h"
#include "milena/env/clock.h"
#include "milena/raft/voters.h"

namespace milena::raft {

using env::Duration;
using env::Instant;

/// Names one request among those that are waiting for an answer; drawn by whoever asks.
using RequestId = Id<struct RaftRequestTag, std::uint64_t>;

/// State of everything below `end_offset`, whose last record was written in `epoch`.
struct SnapshotId {
    Offset end_offset;
    LeaderEpoch epoch;

    auto operator<=>(const SnapshotId&) const = default;
};

/// A place in a snapshot's file, or its length.
using BytePosition = Id<struct BytePositionTag, std::int64_t>;

/// Where an epoch ends: the offset after its last record.
struct EpochEnd {
    LeaderEpoch epoch = kNoLeaderEpoch;
    Offset end_offset{-1};

    auto operator<=>(const EpochEnd&) const = default;
};

/// First record of a leader in its epoch: who voted, and for whom among which voters.
struct LeaderChangeRecord {
    BrokerId leader = kNoBroker;
    std::vector<BrokerId> voters;
    std::vector<BrokerId> granting_voters;

    bool operator==(const LeaderChangeRecord&) const = default;
};

/// kraft.version: 1 means that the log itself names the voters.
struct KRaftVersionRecord {
    std::int16_t version = 0;

    bool operator==(const KRaftVersionRecord&) const = default;
};

/// The voters from here on.
struct VotersRecord {
    VoterSet voters;

    bool operator==(const VotersRecord&) const = default;
};

using ControlRecord = std::variant<LeaderChangeRecord, KRaftVersionRecord, VotersRecord>;

/// One batch of the log.
struct Batch {
    Offset base_offset;
    Offset last_offset;
    LeaderEpoch epoch;
    /// Empty in a data batch.
    std::vector<ControlRecord> control;
    /// The batch as it came from the leader; null in a batch that this node makes, whose maker has
    /// the records.
    std::shared_ptr<const std::vector<std::byte>> bytes;

    bool operator==(const Batch&) const = default;
    std::string text() const;
};

struct VoteRequest {
    /// The candidate's epoch; in a pre-vote the one that it is in, not the one that it would begin.
    LeaderEpoch epoch;
    ReplicaKey candidate;
    /// Whose vote is asked for; kNoBroker if the sender is too old to say (version 0).
    ReplicaKey voter;
    LeaderEpoch last_epoch = kNoLeaderEpoch;
    Offset end_offset;
    bool pre_vote = false;

    bool operator==(const VoteRequest&) const = default;
};

/// What every answer says besides: the epoch and leader that the answering replica knows.
struct LeaderView {
    LeaderEpoch epoch = kNoLeaderEpoch;
    BrokerId leader = kNoBroker;

    bool operator==(const LeaderView&) const = default;
};

struct VoteResponse {
    ErrorCode error = ErrorCode::none;
    LeaderView view;
    bool granted = false;

    bool operator==(const VoteResponse&) const = default;
};

struct BeginQuorumEpochRequest {
    LeaderEpoch epoch;
    BrokerId leader = kNoBroker;
    ReplicaKey voter;
    /// Where the leader is reached; in a request of this node's own, the sender adds them.
    std::vector<VoterEndpoint> endpoints{};

    bool operator==(const BeginQuorumEpochRequest&) const = default;
};

struct BeginQuorumEpochResponse {
    ErrorCode error = ErrorCode::none;
    LeaderView view;

    bool operator==(const BeginQuorumEpochResponse&) const = default;
};

struct EndQuorumEpochRequest {
    LeaderEpoch epoch;
    BrokerId leader = kNoBroker;
    /// Who should stand for election, the one with the longest log first.
    std::vector<ReplicaKey> preferred_candidates;

    bool operator==(const EndQuorumEpochRequest&) const = default;
};

struct EndQuorumEpochResponse {
    ErrorCode error = ErrorCode::none;
    LeaderView view;

    bool operator==(const EndQuorumEpochResponse&) const = default;
};

struct FetchRequest {
    LeaderEpoch current_leader_epoch;
    ReplicaKey replica;
    /// Everything below is durable at the replica: asking for it acknowledges the rest.
    Offset fetch_offset;
    LeaderEpoch last_fetched_epoch = kNoLeaderEpoch;
    /// The high watermark that the replica knows; a leader that knows more answers at once.
    Offset high_watermark{-1};
    Duration max_wait{0};

    bool operator==(const FetchRequest&) const = default;
};

struct FetchResponse {
    ErrorCode error = ErrorCode::none;
    LeaderView view;
    Offset high_watermark{-1};
    Offset log_start_offset{-1};
    /// The replica's log is not a prefix of the leader's: it truncates to here and asks again.
    std::optional<EpochEnd> diverging;
    /// The replica needs records that are only in this snapshot.
    std::optional<SnapshotId> snapshot;
    /// In a reply of the core: what to send along, from the fetched offset up to here. Filled in as
    /// `batches` then.
    Offset read_end{-1};
    std::vector<Batch> batches;

    bool operator==(const FetchResponse&) const = default;
};

/// A voter more: an operator's wish, or that of a controller that joins by itself (KIP-853).
struct AddVoterRequest {
    ReplicaKey voter;
    std::vector<VoterEndpoint> endpoints;
    /// Else the answer comes when the leader has appended the new set.
    bool ack_when_committed = true;

    bool operator==(const AddVoterRequest&) const = default;
};

struct RemoveVoterRequest {
    ReplicaKey voter;

    bool operator==(const RemoveVoterRequest&) const = default;
};

/// A voter says where it is reached and which kraft.version it can do.
struct UpdateVoterRequest {
    LeaderEpoch current_leader_epoch;
    Voter voter;

    bool operator==(const UpdateVoterRequest&) const = default;
};

/// To the three above.
struct VoterChangeResponse {
    ErrorCode error = ErrorCode::none;
    /// Only to an update.
    LeaderView view{};
    std::string why{};

    bool operator==(const VoterChangeResponse&) const = default;
};

/// Which kraft.version a replica can do: asked of one that is to become a voter (ApiVersions).
struct SupportedVersionsRequest {
    bool operator==(const SupportedVersionsRequest&) const = default;
};

struct SupportedVersionsResponse {
    ErrorCode error = ErrorCode::none;
    LeaderView view{};
    std::int16_t kraft_version_min = 0;
    std::int16_t kraft_version_max = 0;

    bool operator==(const SupportedVersionsResponse&) const = default;
};

/// The next piece of a snapshot, from a replica that was sent to it by the answer to a fetch.
struct FetchSnapshotRequest {
    LeaderEpoch current_leader_epoch;
    ReplicaKey replica;
    SnapshotId snapshot;
    BytePosition position;

    bool operator==(const FetchSnapshotRequest&) const = default;
};

struct FetchSnapshotResponse {
    ErrorCode error = ErrorCode::none;
    LeaderView view;
    SnapshotId snapshot;
    /// In a reply of the core: from where on to send. It has not looked for the file, and knows no
    /// size.
    BytePosition position;
    BytePosition size;  ///< of the whole snapshot
    std::shared_ptr<const std::vector<std::byte>> bytes;

    bool operator==(const FetchSnapshotResponse&) const = default;
};

using Request = std::variant<VoteRequest, BeginQuorumEpochRequest, EndQuorumEpochRequest,
                             FetchRequest, FetchSnapshotRequest, AddVoterRequest,
                             RemoveVoterRequest, UpdateVoterRequest, SupportedVersionsRequest>;
using Response =
    std::variant<VoteResponse, BeginQuorumEpochResponse, EndQuorumEpochResponse, FetchResponse,
                 FetchSnapshotResponse, VoterChangeResponse, SupportedVersionsResponse>;

/// One line each, for traces.
std::string text(const Request& request);
std::string text(const Response& response);

}  // namespace milena::raft

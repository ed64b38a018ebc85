// SPDX-License-Identifier: Apache-2.0
// What replicas say to each other, between the core's words and those of the wire: Vote (52),
// BeginQuorumEpoch (53), EndQuorumEpoch (54), and Fetch (1) and FetchSnapshot (59) of the metadata
// log. The wire's structs name topics and partitions; here there is one of each.
#pragma once

#include "milena/protocol/arena.h"
#include "milena/protocol/messages/begin_quorum_epoch.h"
#include "milena/protocol/messages/end_quorum_epoch.h"
#include "milena/protocol/messages/fetch.h"
#include "milena/protocol/messages/fetch_snapshot.h"
#include "milena/protocol/messages/vote.h"
#include "milena/raft/messages.h"

namespace milena::raft {

inline constexpr std::string_view kMetadataTopic = "__cluster_metadata";
/// By which Fetch 13 and later name it.
inline constexpr Uuid kMetadataTopicId{0, 1};

/// Who sends: said in some requests. Views live as long as what they view.
struct Sender {
    std::string_view cluster_id;
    /// Under which this node is reached, if it is a voter.
    std::span<const VoterEndpoint> endpoints;
    std::uint32_t fetch_bytes_max = 1 << 20;     ///< controller.quorum.fetch.max.bytes
    std::uint32_t snapshot_bytes_max = 1 << 20;  ///< controller.quorum.fetch.snapshot.max.bytes
    std::int64_t request_timeout_ms = 2000;      ///< controller.quorum.request.timeout.ms
};

protocol::VoteRequest to_wire(const VoteRequest& request, const Sender& sender,
                              protocol::Arena& arena);
protocol::BeginQuorumEpochRequest to_wire(const BeginQuorumEpochRequest& request,
                                          const Sender& sender, protocol::Arena& arena);
protocol::EndQuorumEpochRequest to_wire(const EndQuorumEpochRequest& request, const Sender& sender,
                                        protocol::Arena& arena);
protocol::FetchRequest to_wire(const FetchRequest& request, const Sender& sender,
                               protocol::Arena& arena);
protocol::FetchSnapshotRequest to_wire(const FetchSnapshotRequest& request, const Sender& sender,
                                       protocol::Arena& arena);

/// INCONSISTENT_CLUSTER_ID if another cluster is named, INVALID_REQUEST if it is not about the
/// metadata log alone: the answer's own error, outside of its topics.
Result<VoteRequest> from_wire(const protocol::VoteRequest& request, std::string_view cluster_id);
Result<BeginQuorumEpochRequest> from_wire(const protocol::BeginQuorumEpochRequest& request,
                                          std::string_view cluster_id);
Result<EndQuorumEpochRequest> from_wire(const protocol::EndQuorumEpochRequest& request,
                                        std::string_view cluster_id);
Result<FetchRequest> from_wire(const protocol::FetchRequest& request, std::string_view cluster_id);
/// UNKNOWN_TOPIC_OR_PARTITION if it is about one other partition: the error of that one.
Result<FetchSnapshotRequest> from_wire(const protocol::FetchSnapshotRequest& request,
                                       std::string_view cluster_id);
/// Whether a fetch names the metadata log, whatever else it names.
bool names_metadata_log(const protocol::FetchRequest& request);

/// Where the leader that an answer names is reached: said from version 1 on, in Fetch from 17 on;
/// an older version can't carry it.
struct LeaderNode {
    BrokerId id = kNoBroker;
    VoterEndpoint endpoint;
};

protocol::VoteResponse to_wire(const VoteResponse& response, const std::optional<LeaderNode>& node,
                               protocol::Arena& arena);
protocol::BeginQuorumEpochResponse to_wire(const BeginQuorumEpochResponse& response,
                                           const std::optional<LeaderNode>& node,
                                           protocol::Arena& arena);
protocol::EndQuorumEpochResponse to_wire(const EndQuorumEpochResponse& response,
                                         const std::optional<LeaderNode>& node,
                                         protocol::Arena& arena);
/// `records` are sent along.
protocol::FetchResponse to_wire(const FetchResponse& response, protocol::Records records,
                                const std::optional<LeaderNode>& node, protocol::Arena& arena);

/// `bytes` of the snapshot are sent along.
protocol::FetchSnapshotResponse to_wire(const FetchSnapshotResponse& response,
                                        protocol::Records bytes,
                                        const std::optional<LeaderNode>& node,
                                        protocol::Arena& arena);

/// Where an answer says that the leader it names is reached.
std::optional<LeaderNode> leader_node(const protocol::VoteResponse& response);
std::optional<LeaderNode> leader_node(const protocol::BeginQuorumEpochResponse& response);
std::optional<LeaderNode> leader_node(const protocol::EndQuorumEpochResponse& response);
std::optional<LeaderNode> leader_node(const protocol::FetchResponse& response);
std::optional<LeaderNode> leader_node(const protocol::FetchSnapshotResponse& response);

/// An error that the answer carries is in the `error` of what is given; CORRUPT_MESSAGE if it is
/// not about the metadata log.
Result<VoteResponse> from_wire(const protocol::VoteResponse& response);
Result<BeginQuorumEpochResponse> from_wire(const protocol::BeginQuorumEpochResponse& response);
Result<EndQuorumEpochResponse> from_wire(const protocol::EndQuorumEpochResponse& response);
/// With the batches, each checked; the last may have been cut, and is left out then.
Result<FetchResponse> from_wire(const protocol::FetchResponse& response);
Result<FetchSnapshotResponse> from_wire(const protocol::FetchSnapshotResponse& response);

}  // namespace milena::raft

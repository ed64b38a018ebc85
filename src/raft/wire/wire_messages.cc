// SPDX-License-Identifier: Apache-2.0
// Answers of the three epoch requests have one shape, which templates here take once.
#include "milena/raft/wire_messages.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/base/error_code.h"
#include "milena/raft/batches.h"

namespace milena::raft {

namespace {

using protocol::Arena;

/// The partition of a request of one topic and one partition.
template <class Topic>
auto partition_of(const protocol::Array<Topic>& topics) -> decltype(&topics[0].partitions[0]) {
    if (topics.size() != 1 || topics[0].partitions.size() != 1) return nullptr;
    return &topics[0].partitions[0];
}

/// The same if they are those of the metadata log.
template <class Topic>
auto metadata_partition(const protocol::Array<Topic>& topics) {
    const auto* const partition = partition_of(topics);
    const bool is_metadata = partition != nullptr && partition->partition_index == 0 &&
                             topics[0].topic_name == kMetadataTopic;
    return is_metadata ? partition : nullptr;
}

template <class Message>
Result<void> check_cluster(const Message& message, std::string_view cluster_id) {
    if (!message.cluster_id || *message.cluster_id == cluster_id) return ok();
    return fail(ErrorCode::inconsistent_cluster_id,
                fmt::format("from cluster {}, this is {}", *message.cluster_id, cluster_id));
}

std::unexpected<Error> other_log() {
    return fail(ErrorCode::invalid_request, "not about the metadata log alone");
}

/// A topic of the name with one partition, for whoever fills it.
template <class Message>
auto& add_partition(Message& message, Arena& arena) {
    using Topic = std::remove_cvref_t<decltype(message.topics[0])>;
    using Partition = std::remove_cvref_t<decltype(message.topics[0].partitions[0])>;
    const auto topics = arena.make_array<Topic>(1);
    const auto partitions = arena.make_array<Partition>(1);
    topics[0].topic_name = kMetadataTopic;
    topics[0].partitions = partitions;
    message.topics = topics;
    return partitions[0];
}

template <class Endpoint>
protocol::Array<Endpoint> leader_endpoints(const Sender& sender, Arena& arena) {
    const auto endpoints = arena.make_array<Endpoint>(sender.endpoints.size());
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
        const VoterEndpoint& one = sender.endpoints[i];
        endpoints[i] = {one.listener, one.host, one.port};
    }
    return endpoints;
}

template <class Message>
void add_node(Message& message, const std::optional<LeaderNode>& node, Arena& arena) {
    if (!node) return;
    using Wire = std::remove_cvref_t<decltype(message.node_endpoints[0])>;
    const auto nodes = arena.make_array<Wire>(1);
    nodes[0].node_id = node->id.value;
    nodes[0].host = arena.copy(node->endpoint.host);
    nodes[0].port = node->endpoint.port;
    message.node_endpoints = nodes;
}

/// The node that `leader` names among those that an answer describes.
template <class Wire>
std::optional<LeaderNode> find_node(const Wire& wire, BrokerId leader) {
    for (const auto& node : wire.node_endpoints) {
        if (BrokerId(node.node_id) != leader || leader < BrokerId(0)) continue;
        const auto port = static_cast<std::uint16_t>(node.port);
        return LeaderNode{leader, {{}, std::string(node.host), port}};
    }
    return std::nullopt;
}

template <class Wire>
std::optional<LeaderNode> find_leader_node(const Wire& wire) {
    const auto* const partition = metadata_partition(wire.topics);
    if (partition == nullptr) return std::nullopt;
    return find_node(wire, BrokerId(partition->leader_id));
}

/// Vote, BeginQuorumEpoch, EndQuorumEpoch.
template <class Wire, class Response>
Wire epoch_answer(const Response& response, const std::optional<LeaderNode>& node, Arena& arena) {
    Wire wire;
    // Errors that speak of the request as a whole stand outside of its topics.
    if (response.error == ErrorCode::invalid_request ||
        response.error == ErrorCode::inconsistent_cluster_id) {
        wire.error_code = static_cast<std::int16_t>(response.error);
        return wire;
    }
    auto& partition = add_partition(wire, arena);
    partition.error_code = static_cast<std::int16_t>(response.error);
    partition.leader_id = response.view.leader.value;
    partition.leader_epoch = response.view.epoch.value;
    if constexpr (requires { response.granted; }) partition.vote_granted = response.granted;
    add_node(wire, node, arena);
    return wire;
}

/// The inverse. Nothing is learnt from an error outside of the topics.
template <class Response, class Wire>
Result<Response> epoch_response(const Wire& wire) {
    Response response;
    response.error = static_cast<ErrorCode>(wire.error_code);
    if (response.error != ErrorCode::none) return response;
    const auto* const partition = metadata_partition(wire.topics);
    if (partition == nullptr) return fail(ErrorCode::corrupt_message, "an answer of another log");
    response.error = static_cast<ErrorCode>(partition->error_code);
    response.view = {LeaderEpoch(partition->leader_epoch), BrokerId(partition->leader_id)};
    if constexpr (requires { response.granted; }) response.granted = partition->vote_granted;
    return response;
}

Result<void> add_batches(BytesView records, FetchResponse& response) {
    while (!records.empty()) {
        TRY(const auto view, record::first_batch(records));
        if (!view) break;
        TRY(Batch batch, describe(*view));
        const BytesView bytes = view->bytes();
        batch.bytes = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
        response.batches.push_back(std::move(batch));
        records = records.subspan(view->size());
    }
    return ok();
}

}  // namespace

protocol::VoteRequest to_wire(const VoteRequest& request, const Sender& sender, Arena& arena) {
    protocol::VoteRequest wire;
    wire.cluster_id = sender.cluster_id;
    wire.voter_id = request.voter.id.value;
    auto& partition = add_partition(wire, arena);
    partition.replica_epoch = request.epoch.value;
    partition.replica_id = request.candidate.id.value;
    partition.replica_directory_id = request.candidate.directory;
    partition.voter_directory_id = request.voter.directory;
    partition.last_offset_epoch = request.last_epoch.value;
    partition.last_offset = request.end_offset.value;
    partition.pre_vote = request.pre_vote;
    return wire;
}

protocol::BeginQuorumEpochRequest to_wire(const BeginQuorumEpochRequest& request,
                                          const Sender& sender, Arena& arena) {
    protocol::BeginQuorumEpochRequest wire;
    wire.cluster_id = sender.cluster_id;
    wire.voter_id = request.voter.id.value;
    auto& partition = add_partition(wire, arena);
    partition.voter_directory_id = request.voter.directory;
    partition.leader_id = request.leader.value;
    partition.leader_epoch = request.epoch.value;
    wire.leader_endpoints =
        leader_endpoints<protocol::BeginQuorumEpochRequest::LeaderEndpoint>(sender, arena);
    return wire;
}

protocol::EndQuorumEpochRequest to_wire(const EndQuorumEpochRequest& request, const Sender& sender,
                                        Arena& arena) {
    protocol::EndQuorumEpochRequest wire;
    wire.cluster_id = sender.cluster_id;
    auto& partition = add_partition(wire, arena);
    partition.leader_id = request.leader.value;
    partition.leader_epoch = request.epoch.value;
    const std::size_t count = request.preferred_candidates.size();
    const auto ids = arena.make_array<std::int32_t>(count);
    const auto keys = arena.make_array<protocol::EndQuorumEpochRequest::ReplicaInfo>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const ReplicaKey& key = request.preferred_candidates[i];
        ids[i] = key.id.value;
        keys[i] = {key.id.value, key.directory};
    }
    partition.preferred_successors = ids;
    partition.preferred_candidates = keys;
    wire.leader_endpoints =
        leader_endpoints<protocol::EndQuorumEpochRequest::LeaderEndpoint>(sender, arena);
    return wire;
}

protocol::FetchRequest to_wire(const FetchRequest& request, const Sender& sender, Arena& arena) {
    using Wire = protocol::FetchRequest;
    const auto topics = arena.make_array<Wire::FetchTopic>(1);
    const auto partitions = arena.make_array<Wire::FetchPartition>(1);
    const auto max_wait = std::chrono::duration_cast<std::chrono::milliseconds>(request.max_wait);
    Wire wire;
    wire.cluster_id = sender.cluster_id;
    // Version 15 and later: none before it knows directories.
    wire.replica_state.replica_id = request.replica.id.value;
    wire.max_wait_ms = static_cast<std::int32_t>(max_wait.count());
    wire.max_bytes = static_cast<std::int32_t>(sender.fetch_bytes_max);
    topics[0].topic = kMetadataTopic;
    topics[0].topic_id = kMetadataTopicId;
    topics[0].partitions = partitions;
    wire.topics = topics;
    partitions[0].current_leader_epoch = request.current_leader_epoch.value;
    partitions[0].fetch_offset = request.fetch_offset.value;
    partitions[0].last_fetched_epoch = request.last_fetched_epoch.value;
    partitions[0].partition_max_bytes = static_cast<std::int32_t>(sender.fetch_bytes_max);
    partitions[0].replica_directory_id = request.replica.directory;
    partitions[0].high_watermark = request.high_watermark.value;
    return wire;
}

protocol::FetchSnapshotRequest to_wire(const FetchSnapshotRequest& request, const Sender& sender,
                                       Arena& arena) {
    using Wire = protocol::FetchSnapshotRequest;
    const auto topics = arena.make_array<Wire::TopicSnapshot>(1);
    const auto partitions = arena.make_array<Wire::PartitionSnapshot>(1);
    Wire wire;
    wire.cluster_id = sender.cluster_id;
    wire.replica_id = request.replica.id.value;
    wire.max_bytes = static_cast<std::int32_t>(sender.snapshot_bytes_max);
    topics[0].name = kMetadataTopic;
    topics[0].partitions = partitions;
    wire.topics = topics;
    partitions[0].current_leader_epoch = request.current_leader_epoch.value;
    partitions[0].snapshot_id = {request.snapshot.end_offset.value, request.snapshot.epoch.value};
    partitions[0].position = request.position.value;
    partitions[0].replica_directory_id = request.replica.directory;
    return wire;
}

Result<VoteRequest> from_wire(const protocol::VoteRequest& wire, std::string_view cluster_id) {
    TRY_VOID(check_cluster(wire, cluster_id));
    const auto* const partition = metadata_partition(wire.topics);
    if (partition == nullptr) return other_log();
    return VoteRequest{
        .epoch = LeaderEpoch(partition->replica_epoch),
        .candidate = {BrokerId(partition->replica_id), partition->replica_directory_id},
        .voter = {BrokerId(wire.voter_id), partition->voter_directory_id},
        .last_epoch = LeaderEpoch(partition->last_offset_epoch),
        .end_offset = Offset(partition->last_offset),
        .pre_vote = partition->pre_vote};
}

Result<BeginQuorumEpochRequest> from_wire(const protocol::BeginQuorumEpochRequest& wire,
                                          std::string_view cluster_id) {
    TRY_VOID(check_cluster(wire, cluster_id));
    const auto* const partition = metadata_partition(wire.topics);
    if (partition == nullptr) return other_log();
    BeginQuorumEpochRequest request{
        .epoch = LeaderEpoch(partition->leader_epoch),
        .leader = BrokerId(partition->leader_id),
        .voter = {BrokerId(wire.voter_id), partition->voter_directory_id}};
    for (const auto& one : wire.leader_endpoints)
        request.endpoints.push_back({std::string(one.name), std::string(one.host), one.port});
    return request;
}

Result<EndQuorumEpochRequest> from_wire(const protocol::EndQuorumEpochRequest& wire,
                                        std::string_view cluster_id) {
    TRY_VOID(check_cluster(wire, cluster_id));
    const auto* const partition = metadata_partition(wire.topics);
    if (partition == nullptr) return other_log();
    EndQuorumEpochRequest request{.epoch = LeaderEpoch(partition->leader_epoch),
                                  .leader = BrokerId(partition->leader_id),
                                  .preferred_candidates = {}};
    for (const auto& one : partition->preferred_candidates) {
        request.preferred_candidates.push_back(
            {BrokerId(one.candidate_id), one.candidate_directory_id});
    }
    // Version 0 has ids alone.
    if (!request.preferred_candidates.empty()) return request;
    for (const std::int32_t id : partition->preferred_successors)
        request.preferred_candidates.push_back({BrokerId(id), {}});
    return request;
}

bool names_metadata_log(const protocol::FetchRequest& request) {
    return std::ranges::any_of(request.topics, [](const auto& topic) {
        return topic.topic == kMetadataTopic || topic.topic_id == kMetadataTopicId;
    });
}

Result<FetchRequest> from_wire(const protocol::FetchRequest& wire, std::string_view cluster_id) {
    TRY_VOID(check_cluster(wire, cluster_id));
    const auto* const partition = partition_of(wire.topics);
    if (partition == nullptr || partition->partition != 0 || !names_metadata_log(wire))
        return other_log();
    // The version has one of the two.
    const std::int32_t replica = std::max(wire.replica_id, wire.replica_state.replica_id);
    return FetchRequest{.current_leader_epoch = LeaderEpoch(partition->current_leader_epoch),
                        .replica = {BrokerId(replica), partition->replica_directory_id},
                        .fetch_offset = Offset(partition->fetch_offset),
                        .last_fetched_epoch = LeaderEpoch(partition->last_fetched_epoch),
                        .high_watermark = Offset(partition->high_watermark),
                        .max_wait = std::chrono::milliseconds(std::max(wire.max_wait_ms, 0))};
}

Result<FetchSnapshotRequest> from_wire(const protocol::FetchSnapshotRequest& wire,
                                       std::string_view cluster_id) {
    TRY_VOID(check_cluster(wire, cluster_id));
    const auto* const partition = partition_of(wire.topics);
    if (partition == nullptr) return other_log();
    if (wire.topics[0].name != kMetadataTopic || partition->partition != 0)
        return fail(ErrorCode::unknown_topic_or_partition, "not the metadata log");
    return FetchSnapshotRequest{
        .current_leader_epoch = LeaderEpoch(partition->current_leader_epoch),
        .replica = {BrokerId(wire.replica_id), partition->replica_directory_id},
        .snapshot = {Offset(partition->snapshot_id.end_offset),
                     LeaderEpoch(partition->snapshot_id.epoch)},
        .position = BytePosition(partition->position)};
}

protocol::VoteResponse to_wire(const VoteResponse& response, const std::optional<LeaderNode>& node,
                               Arena& arena) {
    return epoch_answer<protocol::VoteResponse>(response, node, arena);
}

protocol::BeginQuorumEpochResponse to_wire(const BeginQuorumEpochResponse& response,
                                           const std::optional<LeaderNode>& node, Arena& arena) {
    return epoch_answer<protocol::BeginQuorumEpochResponse>(response, node, arena);
}

protocol::EndQuorumEpochResponse to_wire(const EndQuorumEpochResponse& response,
                                         const std::optional<LeaderNode>& node, Arena& arena) {
    return epoch_answer<protocol::EndQuorumEpochResponse>(response, node, arena);
}

protocol::FetchResponse to_wire(const FetchResponse& response, protocol::Records records,
                                const std::optional<LeaderNode>& node, Arena& arena) {
    using Wire = protocol::FetchResponse;
    Wire wire;
    if (response.error == ErrorCode::invalid_request ||
        response.error == ErrorCode::inconsistent_cluster_id) {
        wire.error_code = static_cast<std::int16_t>(response.error);
        return wire;
    }
    const auto topics = arena.make_array<Wire::FetchableTopicResponse>(1);
    const auto partitions = arena.make_array<Wire::PartitionData>(1);
    topics[0].topic = kMetadataTopic;
    topics[0].topic_id = kMetadataTopicId;
    topics[0].partitions = partitions;
    wire.responses = topics;
    Wire::PartitionData& partition = partitions[0];
    partition.error_code = static_cast<std::int16_t>(response.error);
    partition.high_watermark = response.high_watermark.value;
    partition.log_start_offset = response.log_start_offset.value;
    partition.current_leader = {response.view.leader.value, response.view.epoch.value};
    partition.records = records;
    if (response.diverging) {
        partition.diverging_epoch = {response.diverging->epoch.value,
                                     response.diverging->end_offset.value};
    }
    if (response.snapshot) {
        partition.snapshot_id = {response.snapshot->end_offset.value,
                                 response.snapshot->epoch.value};
    }
    add_node(wire, node, arena);
    return wire;
}

std::optional<LeaderNode> leader_node(const protocol::VoteResponse& wire) {
    return find_leader_node(wire);
}
std::optional<LeaderNode> leader_node(const protocol::BeginQuorumEpochResponse& wire) {
    return find_leader_node(wire);
}
std::optional<LeaderNode> leader_node(const protocol::EndQuorumEpochResponse& wire) {
    return find_leader_node(wire);
}
std::optional<LeaderNode> leader_node(const protocol::FetchResponse& wire) {
    const auto* const partition = partition_of(wire.responses);
    if (partition == nullptr) return std::nullopt;
    return find_node(wire, BrokerId(partition->current_leader.leader_id));
}
std::optional<LeaderNode> leader_node(const protocol::FetchSnapshotResponse& wire) {
    if (wire.topics.size() != 1 || wire.topics[0].partitions.size() != 1) return std::nullopt;
    return find_node(wire, BrokerId(wire.topics[0].partitions[0].current_leader.leader_id));
}

protocol::FetchSnapshotResponse to_wire(const FetchSnapshotResponse& response,
                                        protocol::Records bytes,
                                        const std::optional<LeaderNode>& node, Arena& arena) {
    using Wire = protocol::FetchSnapshotResponse;
    Wire wire;
    const auto topics = arena.make_array<Wire::TopicSnapshot>(1);
    const auto partitions = arena.make_array<Wire::PartitionSnapshot>(1);
    topics[0].name = kMetadataTopic;
    topics[0].partitions = partitions;
    wire.topics = topics;
    Wire::PartitionSnapshot& partition = partitions[0];
    partition.error_code = static_cast<std::int16_t>(response.error);
    partition.current_leader = {response.view.leader.value, response.view.epoch.value};
    partition.unaligned_records = BytesView();
    add_node(wire, node, arena);
    if (response.error != ErrorCode::none) return wire;
    partition.snapshot_id = {response.snapshot.end_offset.value, response.snapshot.epoch.value};
    partition.size = response.size.value;
    partition.position = response.position.value;
    partition.unaligned_records = bytes;
    return wire;
}

Result<VoteResponse> from_wire(const protocol::VoteResponse& wire) {
    return epoch_response<VoteResponse>(wire);
}

Result<BeginQuorumEpochResponse> from_wire(const protocol::BeginQuorumEpochResponse& wire) {
    return epoch_response<BeginQuorumEpochResponse>(wire);
}

Result<EndQuorumEpochResponse> from_wire(const protocol::EndQuorumEpochResponse& wire) {
    return epoch_response<EndQuorumEpochResponse>(wire);
}

Result<FetchResponse> from_wire(const protocol::FetchResponse& wire) {
    FetchResponse response;
    response.error = static_cast<ErrorCode>(wire.error_code);
    if (response.error != ErrorCode::none) return response;
    const auto* const partition = partition_of(wire.responses);
    if (partition == nullptr || partition->partition_index != 0)
        return fail(ErrorCode::corrupt_message, "an answer of another log");
    response.error = static_cast<ErrorCode>(partition->error_code);
    response.view = {LeaderEpoch(partition->current_leader.leader_epoch),
                     BrokerId(partition->current_leader.leader_id)};
    response.high_watermark = Offset(partition->high_watermark);
    response.log_start_offset = Offset(partition->log_start_offset);
    const auto& diverging = partition->diverging_epoch;
    if (diverging.epoch >= 0)
        response.diverging = EpochEnd{LeaderEpoch(diverging.epoch), Offset(diverging.end_offset)};
    const auto& snapshot = partition->snapshot_id;
    if (snapshot.end_offset >= 0 && snapshot.epoch >= 0)
        response.snapshot = SnapshotId{Offset(snapshot.end_offset), LeaderEpoch(snapshot.epoch)};
    if (response.error != ErrorCode::none) return response;
    TRY_VOID(add_batches(partition->records.bytes(), response));
    return response;
}

Result<FetchSnapshotResponse> from_wire(const protocol::FetchSnapshotResponse& wire) {
    FetchSnapshotResponse response;
    response.error = static_cast<ErrorCode>(wire.error_code);
    if (response.error != ErrorCode::none) return response;
    const auto* const partition = partition_of(wire.topics);
    if (partition == nullptr || partition->index != 0 || wire.topics[0].name != kMetadataTopic)
        return fail(ErrorCode::corrupt_message, "an answer of another log");
    response.error = static_cast<ErrorCode>(partition->error_code);
    response.view = {LeaderEpoch(partition->current_leader.leader_epoch),
                     BrokerId(partition->current_leader.leader_id)};
    response.snapshot = {Offset(partition->snapshot_id.end_offset),
                         LeaderEpoch(partition->snapshot_id.epoch)};
    response.position = BytePosition(partition->position);
    response.size = BytePosition(partition->size);
    const BytesView bytes = partition->unaligned_records.bytes();
    response.bytes = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    return response;
}

}  // namespace milena::raft

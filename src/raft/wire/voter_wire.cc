// SPDX-License-Identifier: Apache-2.0
// Requests and answers whose fields differ little; templates take what they share.
#include "milena/raft/voter_wire.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/base/error_code.h"

namespace milena::raft {

namespace {

using protocol::Arena;

constexpr std::string_view kKraftVersionFeature = "kraft.version";

template <class Listener>
protocol::Array<Listener> listeners_of(const std::vector<VoterEndpoint>& endpoints, Arena& arena) {
    const auto listeners = arena.make_array<Listener>(endpoints.size());
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
        const VoterEndpoint& one = endpoints[i];
        listeners[i] = {one.listener, one.host, one.port};
    }
    return listeners;
}

template <class Listener>
Result<std::vector<VoterEndpoint>> endpoints_of(const protocol::Array<Listener>& listeners) {
    if (listeners.size() > kVoterEndpointsMax)
        return fail(ErrorCode::invalid_request, "a voter with too many listeners");
    std::vector<VoterEndpoint> endpoints;
    for (const auto& one : listeners) {
        if (std::ranges::find(endpoints, one.name, &VoterEndpoint::listener) != endpoints.end()) {
            return fail(ErrorCode::invalid_request,
                        fmt::format("the listener {} comes twice", one.name));
        }
        // What stands in the log stands in the head of every snapshot.
        if (one.name.size() > kVoterNameMax || one.host.size() > kVoterNameMax)
            return fail(ErrorCode::invalid_request, "a voter with too long a name");
        endpoints.push_back({std::string(one.name), std::string(one.host), one.port});
    }
    return endpoints;
}

template <class Message>
Result<void> check_cluster(const Message& message, std::string_view cluster_id) {
    if (!message.cluster_id || *message.cluster_id == cluster_id) return ok();
    return fail(
        ErrorCode::inconsistent_cluster_id,
        fmt::format("The request is for cluster {}, this is {}", *message.cluster_id, cluster_id));
}

template <class Wire>
Wire change_answer(const VoterChangeResponse& response) {
    Wire wire;
    wire.error_code = static_cast<std::int16_t>(response.error);
    wire.error_message =
        response.why.empty() ? protocol::NullableString() : protocol::NullableString(response.why);
    return wire;
}

template <class Wire>
VoterChangeResponse change_response(const Wire& wire) {
    return {.error = static_cast<ErrorCode>(wire.error_code),
            .why = std::string(wire.error_message.value_or(""))};
}

}  // namespace

protocol::AddRaftVoterRequest to_wire(const AddVoterRequest& request, const Sender& sender,
                                      Arena& arena) {
    using Wire = protocol::AddRaftVoterRequest;
    Wire wire;
    wire.cluster_id = sender.cluster_id;
    wire.timeout_ms = static_cast<std::int32_t>(sender.request_timeout_ms);
    wire.voter_id = request.voter.id.value;
    wire.voter_directory_id = request.voter.directory;
    wire.listeners = listeners_of<Wire::Listener>(request.endpoints, arena);
    wire.ack_when_committed = request.ack_when_committed;
    return wire;
}

protocol::RemoveRaftVoterRequest to_wire(const RemoveVoterRequest& request, const Sender& sender,
                                         Arena&) {
    protocol::RemoveRaftVoterRequest wire;
    wire.cluster_id = sender.cluster_id;
    wire.voter_id = request.voter.id.value;
    wire.voter_directory_id = request.voter.directory;
    return wire;
}

protocol::UpdateRaftVoterRequest to_wire(const UpdateVoterRequest& request, const Sender& sender,
                                         Arena& arena) {
    using Wire = protocol::UpdateRaftVoterRequest;
    Wire wire;
    wire.cluster_id = sender.cluster_id;
    wire.current_leader_epoch = request.current_leader_epoch.value;
    wire.voter_id = request.voter.key.id.value;
    wire.voter_directory_id = request.voter.key.directory;
    wire.listeners = listeners_of<Wire::Listener>(request.voter.endpoints, arena);
    wire.k_raft_version_feature = {request.voter.kraft_version_min,
                                   request.voter.kraft_version_max};
    return wire;
}

protocol::ApiVersionsRequest to_wire(const SupportedVersionsRequest&, const Sender&, Arena&) {
    protocol::ApiVersionsRequest wire;
    wire.client_software_name = "milena";
    wire.client_software_version = "1";
    return wire;
}

Result<AddVoterRequest> from_wire(const protocol::AddRaftVoterRequest& wire,
                                  std::string_view cluster_id) {
    TRY_VOID(check_cluster(wire, cluster_id));
    TRY(auto endpoints, endpoints_of(wire.listeners));
    return AddVoterRequest{.voter = {BrokerId(wire.voter_id), wire.voter_directory_id},
                           .endpoints = std::move(endpoints),
                           .ack_when_committed = wire.ack_when_committed};
}

Result<RemoveVoterRequest> from_wire(const protocol::RemoveRaftVoterRequest& wire,
                                     std::string_view cluster_id) {
    TRY_VOID(check_cluster(wire, cluster_id));
    return RemoveVoterRequest{{BrokerId(wire.voter_id), wire.voter_directory_id}};
}

Result<UpdateVoterRequest> from_wire(const protocol::UpdateRaftVoterRequest& wire,
                                     std::string_view cluster_id) {
    TRY_VOID(check_cluster(wire, cluster_id));
    TRY(auto endpoints, endpoints_of(wire.listeners));
    return UpdateVoterRequest{
        .current_leader_epoch = LeaderEpoch(wire.current_leader_epoch),
        .voter = {.key = {BrokerId(wire.voter_id), wire.voter_directory_id},
                  .endpoints = std::move(endpoints),
                  .kraft_version_min = wire.k_raft_version_feature.min_supported_version,
                  .kraft_version_max = wire.k_raft_version_feature.max_supported_version}};
}

protocol::AddRaftVoterResponse to_add_answer(const VoterChangeResponse& response) {
    return change_answer<protocol::AddRaftVoterResponse>(response);
}

protocol::RemoveRaftVoterResponse to_remove_answer(const VoterChangeResponse& response) {
    return change_answer<protocol::RemoveRaftVoterResponse>(response);
}

protocol::UpdateRaftVoterResponse to_update_answer(const VoterChangeResponse& response,
                                                   const std::optional<LeaderNode>& leader) {
    protocol::UpdateRaftVoterResponse wire;
    wire.error_code = static_cast<std::int16_t>(response.error);
    wire.current_leader.leader_id = response.view.leader.value;
    wire.current_leader.leader_epoch = response.view.epoch.value;
    if (leader) {
        wire.current_leader.host = leader->endpoint.host;
        wire.current_leader.port = leader->endpoint.port;
    }
    return wire;
}

Result<VoterChangeResponse> from_wire(const protocol::AddRaftVoterResponse& wire) {
    return change_response(wire);
}

Result<VoterChangeResponse> from_wire(const protocol::RemoveRaftVoterResponse& wire) {
    return change_response(wire);
}

Result<VoterChangeResponse> from_wire(const protocol::UpdateRaftVoterResponse& wire) {
    return VoterChangeResponse{.error = static_cast<ErrorCode>(wire.error_code),
                               .view = {LeaderEpoch(wire.current_leader.leader_epoch),
                                        BrokerId(wire.current_leader.leader_id)}};
}

Result<SupportedVersionsResponse> from_wire(const protocol::ApiVersionsResponse& wire) {
    SupportedVersionsResponse response;
    response.error = static_cast<ErrorCode>(wire.error_code);
    for (const auto& feature : wire.supported_features) {
        if (feature.name != kKraftVersionFeature) continue;
        response.kraft_version_min = feature.min_version;
        response.kraft_version_max = feature.max_version;
    }
    return response;
}

}  // namespace milena::raft

// SPDX-License-Identifier: Apache-2.0
// Changes of the voters between the core's words and those of the wire: AddRaftVoter (80),
// RemoveRaftVoter (81), UpdateRaftVoter (82), and what ApiVersions (18) says of kraft.version.
#pragma once

#include "milena/protocol/messages/add_raft_voter.h"
#include "milena/protocol/messages/api_versions.h"
#include "milena/protocol/messages/remove_raft_voter.h"
#include "milena/protocol/messages/update_raft_voter.h"
#include "milena/raft/wire_messages.h"

namespace milena::raft {

/// Listeners of one voter that are taken from a request.
inline constexpr std::size_t kVoterEndpointsMax = 64;
/// Bytes of a listener's name, and of a host's.
inline constexpr std::size_t kVoterNameMax = 255;

protocol::AddRaftVoterRequest to_wire(const AddVoterRequest& request, const Sender& sender,
                                      protocol::Arena& arena);
protocol::RemoveRaftVoterRequest to_wire(const RemoveVoterRequest& request, const Sender& sender,
                                         protocol::Arena& arena);
protocol::UpdateRaftVoterRequest to_wire(const UpdateVoterRequest& request, const Sender& sender,
                                         protocol::Arena& arena);
protocol::ApiVersionsRequest to_wire(const SupportedVersionsRequest& request, const Sender& sender,
                                     protocol::Arena& arena);

/// INCONSISTENT_CLUSTER_ID if another cluster is named, INVALID_REQUEST if a listener comes twice
/// or there are too many of them.
Result<AddVoterRequest> from_wire(const protocol::AddRaftVoterRequest& request,
                                  std::string_view cluster_id);
Result<RemoveVoterRequest> from_wire(const protocol::RemoveRaftVoterRequest& request,
                                     std::string_view cluster_id);
Result<UpdateVoterRequest> from_wire(const protocol::UpdateRaftVoterRequest& request,
                                     std::string_view cluster_id);

/// What is said in `why` lives as long as the response.
protocol::AddRaftVoterResponse to_add_answer(const VoterChangeResponse& response);
protocol::RemoveRaftVoterResponse to_remove_answer(const VoterChangeResponse& response);
protocol::UpdateRaftVoterResponse to_update_answer(const VoterChangeResponse& response,
                                                   const std::optional<LeaderNode>& leader);

Result<VoterChangeResponse> from_wire(const protocol::AddRaftVoterResponse& response);
Result<VoterChangeResponse> from_wire(const protocol::RemoveRaftVoterResponse& response);
Result<VoterChangeResponse> from_wire(const protocol::UpdateRaftVoterResponse& response);
/// A node that does not name kraft.version can do 0 alone.
Result<SupportedVersionsResponse> from_wire(const protocol::ApiVersionsResponse& response);

}  // namespace milena::raft

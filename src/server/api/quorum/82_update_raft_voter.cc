// SPDX-License-Identifier: Apache-2.0
// UpdateRaftVoter: a voter of the metadata quorum says where it is reached and what it supports
// (KIP-853).
#include "voter_request.h"

namespace milena::server {
namespace {

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<protocol::UpdateRaftVoterRequest>(request));
    const QuorumAnswer given =
        co_await ask_for_voters(request, body, security::Operation::cluster_action);
    if (request.connection.is_closed()) co_return ok();
    const auto& response = std::get<raft::VoterChangeResponse>(given.response);
    co_return answer(request, raft::to_update_answer(response, given.leader));
}

}  // namespace

Api api_82() {
    return make_api(protocol::ApiKey::update_raft_voter, &serve);
}

}  // namespace milena::server

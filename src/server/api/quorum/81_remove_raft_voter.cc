// SPDX-License-Identifier: Apache-2.0
// RemoveRaftVoter: one voter less in the metadata quorum (KIP-853).
#include "voter_request.h"

namespace milena::server {
namespace {

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<protocol::RemoveRaftVoterRequest>(request));
    const QuorumAnswer given = co_await ask_for_voters(request, body, security::Operation::alter);
    if (request.connection.is_closed()) co_return ok();
    const auto& response = std::get<raft::VoterChangeResponse>(given.response);
    co_return answer(request, raft::to_remove_answer(response));
}

}  // namespace

Api api_81() {
    return make_api(protocol::ApiKey::remove_raft_voter, &serve);
}

}  // namespace milena::server

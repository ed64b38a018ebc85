// SPDX-License-Identifier: Apache-2.0
// AddRaftVoter: one voter more in the metadata quorum (KIP-853). A client asks for it, or the
// controller that is to be the voter.
#include "voter_request.h"

namespace milena::server {
namespace {

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<protocol::AddRaftVoterRequest>(request));
    const QuorumAnswer given = co_await ask_for_voters(request, body, security::Operation::alter);
    if (request.connection.is_closed()) co_return ok();
    const auto& response = std::get<raft::VoterChangeResponse>(given.response);
    co_return answer(request, raft::to_add_answer(response));
}

}  // namespace

Api api_80() {
    return make_api(protocol::ApiKey::add_raft_voter, &serve);
}

}  // namespace milena::server

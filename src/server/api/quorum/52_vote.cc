// SPDX-License-Identifier: Apache-2.0
// Vote: a replica asks for this one's vote, or whether it would get it (KIP-595, KIP-996).
#include "quorum_request.h"

namespace milena::server {

Api api_52() {
    return make_api(
        protocol::ApiKey::vote,
        &serve_quorum_request<protocol::VoteRequest, protocol::VoteResponse, raft::VoteResponse>);
}

}  // namespace milena::server

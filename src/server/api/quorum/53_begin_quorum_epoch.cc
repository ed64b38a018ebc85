// SPDX-License-Identifier: Apache-2.0
// BeginQuorumEpoch: a leader of the metadata quorum says that it leads (KIP-595).
#include "quorum_request.h"

namespace milena::server {

Api api_53() {
    return make_api(
        protocol::ApiKey::begin_quorum_epoch,
        &serve_quorum_request<protocol::BeginQuorumEpochRequest, protocol::BeginQuorumEpochResponse,
                              raft::BeginQuorumEpochResponse>);
}

}  // namespace milena::server

// SPDX-License-Identifier: Apache-2.0
// EndQuorumEpoch: a leader of the metadata quorum says that it goes, and who should follow
// (KIP-595).
#include "quorum_request.h"

namespace milena::server {

Api api_54() {
    return make_api(
        protocol::ApiKey::end_quorum_epoch,
        &serve_quorum_request<protocol::EndQuorumEpochRequest, protocol::EndQuorumEpochResponse,
                              raft::EndQuorumEpochResponse>);
}

}  // namespace milena::server

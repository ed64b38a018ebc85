// SPDX-License-Identifier: Apache-2.0
// Translates a quorum's status. How far other voters have come is not known here: a quorum has one
// (Quorum::open), which leads.
#include "quorum_description.h"

namespace milena::drivers {

controller::QuorumDescription quorum_description(const QuorumStatus& status, Timestamp now) {
    controller::QuorumDescription out;
    out.leader = status.leader;
    out.epoch = status.epoch;
    out.high_watermark = status.high_watermark.value_or(Offset(-1));
    for (const auto& [id, voter] : status.voters.by_id()) {
        controller::QuorumReplica replica{.id = id, .directory = voter.key.directory};
        if (id == status.leader) {
            replica.log_end_offset = status.log_end_offset;
            replica.last_fetch_ms = now.value;
            replica.last_caught_up_ms = now.value;
        }
        out.voters.push_back(replica);
        controller::QuorumNodeEndpoints node{.id = id, .endpoints = {}};
        for (const auto& endpoint : voter.endpoints)
            node.endpoints.push_back({endpoint.listener, endpoint.host, endpoint.port});
        out.nodes.push_back(std::move(node));
    }
    return out;
}

}  // namespace milena::drivers

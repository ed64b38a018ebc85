// SPDX-License-Identifier: Apache-2.0
// The way of a request that changes the voters of the metadata quorum: rights and cluster are
// checked here, all else by the replica, which must lead.
#pragma once

#include "milena/raft/voter_wire.h"
#include "quorum_request.h"

namespace milena::server {

/// What the replica says to `body`, and where its leader is; a refusal that comes before it has the
/// same form.
template <class Body>
env::Task<QuorumAnswer> ask_for_voters(Request& request, const Body& body,
                                       security::Operation right) {
    const auto refused = [](const Error& why) {
        return QuorumAnswer{raft::VoterChangeResponse{why.code, {}, why.why}, {}, {}};
    };
    if (request.refusal) co_return refused(*request.refusal);
    if (const auto allowed = check_cluster_right(request, right); !allowed)
        co_return refused(allowed.error());
    const Broker& broker = request.broker();
    if (broker.quorum == nullptr || !broker.config.is_controller)
        co_return refused({ErrorCode::not_leader_or_follower, "this node is no controller"});
    auto asked = raft::from_wire(body, broker.cluster_id);
    if (!asked) co_return refused(asked.error());
    co_return co_await broker.quorum->ask(*std::move(asked), 0);
}

}  // namespace milena::server

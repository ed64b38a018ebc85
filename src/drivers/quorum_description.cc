// SPDX-License-Identifier: Apache-2.0
// Translates a quorum's status, and what its leader knows of the others.
#include "quorum_description.h"

#include <algorithm>

namespace milena::drivers {

namespace {

/// As milliseconds since 1970; -1 if it never was.
std::int64_t wall_ms(const std::optional<env::Instant>& when, const Moment& now) {
    if (!when) return -1;
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now.instant - *when);
    return now.wall.value - age.count();
}

controller::QuorumReplica described(const raft::ReplicaProgress& progress, const Moment& now) {
    return {.id = progress.key.id,
            .directory = progress.key.directory,
            .log_end_offset = progress.durable_end,
            .last_fetch_ms = wall_ms(progress.fetched_at, now),
            .last_caught_up_ms = wall_ms(progress.caught_up_at, now)};
}

}  // namespace

controller::QuorumDescription quorum_description(const QuorumStatus& status,
                                                 const std::vector<raft::ReplicaProgress>& others,
                                                 const Moment& now) {
    controller::QuorumDescription out;
    out.leader = status.leader;
    out.epoch = status.epoch;
    out.high_watermark = status.high_watermark.value_or(Offset(-1));
    for (const auto& [id, voter] : status.voters.by_id()) {
        controller::QuorumReplica replica{.id = id, .directory = voter.key.directory};
        const auto heard = std::ranges::find_if(
            others, [&](const auto& one) { return one.is_voter && one.key.id == id; });
        if (id == status.leader) {
            replica.log_end_offset = status.log_end_offset;
            replica.last_fetch_ms = replica.last_caught_up_ms = now.wall.value;
        } else if (heard != others.end()) {
            replica = described(*heard, now);
        }
        out.voters.push_back(replica);
        controller::QuorumNodeEndpoints node{.id = id, .endpoints = {}};
        for (const auto& endpoint : voter.endpoints)
            node.endpoints.push_back({endpoint.listener, endpoint.host, endpoint.port});
        out.nodes.push_back(std::move(node));
    }
    for (const raft::ReplicaProgress& one : others) {
        if (!one.is_voter) out.observers.push_back(described(one, now));
    }
    return out;
}

}  // namespace milena::drivers

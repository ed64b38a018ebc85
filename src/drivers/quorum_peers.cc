// SPDX-License-Identifier: Apache-2.0
// From the core's words to the wire's and back, over a client of one endpoint.
#include "quorum_peers.h"

#include <algorithm>

#include <fmt/format.h>

namespace milena::drivers {

namespace {

constexpr env::Duration kPauseMin = std::chrono::milliseconds(20);
constexpr env::Duration kPauseMax = std::chrono::milliseconds(320);

/// Sends one kind of request and reads its answer.
struct Exchange {
    wire::Client& client;
    const raft::Sender& sender;
    protocol::Arena& arena;

    template <class Wire, class Request>
    env::Task<Result<QuorumPeers::Heard>> call(const Request& request) const {
        const auto message = raft::to_wire(request, sender, arena);
        CO_TRY(const auto answer, co_await client.call<Wire>(wire::Target::any(), message));
        CO_TRY(auto response, raft::from_wire(*answer));
        QuorumPeers::Heard heard{std::move(response), {}};
        if constexpr (requires { raft::leader_node(*answer); })
            heard.leader = raft::leader_node(*answer);
        co_return heard;
    }
    using Heard = env::Task<Result<QuorumPeers::Heard>>;
    Heard operator()(const raft::VoteRequest& request) const {
        return call<protocol::VoteResponse>(request);
    }
    Heard operator()(const raft::BeginQuorumEpochRequest& request) const {
        return call<protocol::BeginQuorumEpochResponse>(request);
    }
    Heard operator()(const raft::EndQuorumEpochRequest& request) const {
        return call<protocol::EndQuorumEpochResponse>(request);
    }
    Heard operator()(const raft::FetchRequest& request) const {
        return call<protocol::FetchResponse>(request);
    }
    Heard operator()(const raft::AddVoterRequest& request) const {
        return call<protocol::AddRaftVoterResponse>(request);
    }
    Heard operator()(const raft::RemoveVoterRequest& request) const {
        return call<protocol::RemoveRaftVoterResponse>(request);
    }
    Heard operator()(const raft::UpdateVoterRequest& request) const {
        return call<protocol::UpdateRaftVoterResponse>(request);
    }
    Heard operator()(const raft::SupportedVersionsRequest& request) const {
        return call<protocol::ApiVersionsResponse>(request);
    }
    Heard operator()(const raft::FetchSnapshotRequest& request) const {
        return call<protocol::FetchSnapshotResponse>(request);
    }
};

}  // namespace

QuorumPeers::QuorumPeers(env::Env& env, Logger logger, QuorumPeersOptions options)
    : env_(env), log_(std::move(logger)), options_(std::move(options)) {}

std::shared_ptr<QuorumPeers::Peer> QuorumPeers::peer_of(BrokerId id,
                                                        const env::Endpoint& endpoint) {
    auto& peer = peers_[id];
    if (peer != nullptr && peer->endpoint == endpoint) return peer;
    wire::ClientOptions client;
    client.bootstrap = {endpoint};
    client.client_id = fmt::format("raft-client-{}", options_.self);
    client.request_timeout = client.call_timeout = options_.request_timeout;
    // One try a call: the core decides when to try again.
    client.backoff_min = client.backoff_max = options_.request_timeout;
    client.frame_bytes_max =
        std::max(options_.fetch_bytes_max, options_.snapshot_bytes_max) + (16U << 20);
    peer = std::make_shared<Peer>();
    peer->endpoint = endpoint;
    peer->client =
        std::make_unique<wire::Client>(env_, env_.control(), std::move(client), Logger());
    return peer;
}

env::Task<QuorumPeers::Answer> QuorumPeers::ask(
    BrokerId to, const env::Endpoint& endpoint, const raft::Request& request,
    const std::vector<raft::VoterEndpoint>& own_endpoints) {
    if (closed_) {
        co_return std::unexpected(
            Refusal{{ErrorCode::broker_not_available, "the quorum of this node has ended"}});
    }
    const auto peer = peer_of(to, endpoint);
    if (env_.clock().now() < peer->not_before)
        co_return std::unexpected(Refusal{{ErrorCode::network_exception, "not yet again"}});
    protocol::Arena arena;
    const raft::Sender sender{
        .cluster_id = options_.cluster_id,
        .endpoints = own_endpoints,
        .fetch_bytes_max = options_.fetch_bytes_max,
        .snapshot_bytes_max = options_.snapshot_bytes_max,
        .request_timeout_ms =
            std::chrono::duration_cast<std::chrono::milliseconds>(options_.request_timeout)
                .count()};
    const Exchange exchange{*peer->client, sender, arena};
    co_return settle(*peer, to, co_await std::visit(exchange, request));
}

QuorumPeers::Answer QuorumPeers::settle(Peer& peer, BrokerId id, Result<Heard> result) {
    const Logger log = log_.with("replica", id).with("endpoint", peer.endpoint.text());
    if (result) {
        if (peer.is_lost) LOG_INFO(log, "a replica of the metadata quorum answers again");
        peer.is_lost = false;
        peer.pause = {};
        return *std::move(result);
    }
    peer.pause = std::clamp(peer.pause * 2, kPauseMin, kPauseMax);
    peer.not_before = env_.clock().now() + peer.pause;
    if (!peer.is_lost && !closed_) {
        LOG_WARN(log, "a replica of the metadata quorum does not answer",
                 kv("why", result.error().why));
    }
    peer.is_lost = true;
    const bool is_gone = env::is_connection_refused(result.error());
    return std::unexpected(Refusal{std::move(result).error(), is_gone});
}

void QuorumPeers::close() {
    closed_ = true;
    for (const auto& [id, peer] : peers_) peer->client->close();
}

}  // namespace milena::drivers

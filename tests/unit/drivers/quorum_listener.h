// SPDX-License-Identifier: Apache-2.0
// Serves one replica of a quorum on the simulated network, as a controllers' listener does: frames
// in, the replica's answers out. Without rights, sessions and limits.
#pragma once

#include "frame_listener.h"
#include "milena/drivers/quorum.h"
#include "milena/raft/voter_wire.h"
#include "sim/world.h"

namespace milena::drivers {

class ReplicaListener final : public FrameListener {
public:
    ReplicaListener(sim::Node& node, Quorum& quorum, std::string cluster_id, std::uint16_t port)
        : FrameListener(node, port), quorum_(quorum), cluster_id_(std::move(cluster_id)) {
        listen();
    }

private:
    env::Task<Frame> answer(const protocol::RequestHead& head, BytesView body) override {
        switch (head.api->key) {
            case protocol::ApiKey::vote:
                return ask<protocol::VoteRequest, raft::VoteResponse>(head, body);
            case protocol::ApiKey::begin_quorum_epoch:
                return ask<protocol::BeginQuorumEpochRequest, raft::BeginQuorumEpochResponse>(head,
                                                                                              body);
            case protocol::ApiKey::end_quorum_epoch:
                return ask<protocol::EndQuorumEpochRequest, raft::EndQuorumEpochResponse>(head,
                                                                                          body);
            case protocol::ApiKey::fetch:
                return fetch<protocol::FetchRequest, raft::FetchResponse>(head, body);
            case protocol::ApiKey::fetch_snapshot:
                return fetch<protocol::FetchSnapshotRequest, raft::FetchSnapshotResponse>(head,
                                                                                          body);
            case protocol::ApiKey::add_raft_voter:
                return change<protocol::AddRaftVoterRequest>(head, body, &raft::to_add_answer);
            case protocol::ApiKey::remove_raft_voter:
                return change<protocol::RemoveRaftVoterRequest>(head, body,
                                                                &raft::to_remove_answer);
            default: return own_versions(head);
        }
    }

    template <class Wire, class Answer>
    env::Task<Frame> change(const protocol::RequestHead& head, BytesView body,
                            Answer (*to_answer)(const raft::VoterChangeResponse&)) {
        protocol::Arena arena;
        const auto wire = protocol::decode<Wire>(body, head.version(), arena);
        auto request = raft::from_wire(*wire, cluster_id_);
        EXPECT_TRUE(request) << request.error().why;
        const auto given = co_await quorum_.ask(*std::move(request), 0);
        co_return framed(head, to_answer(std::get<raft::VoterChangeResponse>(given.response)));
    }

    static env::Task<Frame> own_versions(const protocol::RequestHead& head) {
        std::array<protocol::ApiVersionsResponse::SupportedFeatureKey, 1> features;
        features[0].name = "kraft.version";
        features[0].max_version = 1;
        co_return versions(head, features);
    }

    template <class Wire, class Response>
    env::Task<Frame> ask(const protocol::RequestHead& head, BytesView body) {
        protocol::Arena arena;
        const auto wire = protocol::decode<Wire>(body, head.version(), arena);
        auto request = raft::from_wire(*wire, cluster_id_);
        EXPECT_TRUE(request) << request.error().why;
        const auto given = co_await quorum_.ask(*std::move(request), 0);
        co_return framed(head,
                         raft::to_wire(std::get<Response>(given.response), given.leader, arena));
    }

    template <class Wire, class Response>
    env::Task<Frame> fetch(const protocol::RequestHead& head, BytesView body) {
        protocol::Arena arena;
        const auto wire = protocol::decode<Wire>(body, head.version(), arena);
        auto request = raft::from_wire(*wire, cluster_id_);
        EXPECT_TRUE(request) << request.error().why;
        const auto given =
            co_await quorum_.ask(*std::move(request), static_cast<std::uint64_t>(wire->max_bytes));
        std::vector<std::byte> records(given.records.length);
        if (!records.empty()) {
            EXPECT_TRUE(given.records.file->read_at(given.records.position, records));
        }
        co_return framed(head, raft::to_wire(std::get<Response>(given.response), BytesView(records),
                                             given.leader, arena));
    }

    Quorum& quorum_;
    const std::string cluster_id_;
};

}  // namespace milena::drivers

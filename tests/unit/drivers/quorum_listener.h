// SPDX-License-Identifier: Apache-2.0
// Serves one replica of a quorum on the simulated network, as a controllers' listener does: frames
// in, the replica's answers out. Without rights, sessions and limits.
#pragma once

#include "milena/drivers/quorum.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/header.h"
#include "milena/protocol/messages/api_versions.h"
#include "milena/raft/voter_wire.h"
#include "sim/world.h"
#include "support/streams.h"

namespace milena::drivers {

class ReplicaListener {
public:
    ReplicaListener(sim::Node& node, Quorum& quorum, std::string cluster_id, std::uint16_t port)
        : node_(node), quorum_(quorum), cluster_id_(std::move(cluster_id)), port_(port) {
        env::spawn(node_.control(), serve());
    }

private:
    env::Task<void> serve() {
        const auto acceptor = node_.network().listen({"", port_}, node_.control());
        while (auto stream = co_await (*acceptor)->accept(node_.control()))
            env::spawn(node_.control(), talk(*std::move(stream)));
    }

    env::Task<void> talk(std::unique_ptr<env::Stream> stream) {
        for (;;) {
            const auto size = co_await support::read_exactly(*stream, 4);
            if (size.size() < 4) co_return;
            const auto frame =
                co_await support::read_exactly(*stream, load<std::uint32_t>(size.data()));
            ByteReader reader(frame);
            const auto head = protocol::read_request_head(reader);
            if (!head) co_return;
            const auto reply = co_await answer(*head, BytesView(frame).subspan(reader.position()));
            const BytesView piece(reply);
            if (!co_await stream->write(std::span(&piece, 1))) co_return;
        }
    }

    env::Task<std::vector<std::byte>> answer(const protocol::RequestHead& head, BytesView body) {
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
            default: return versions(head);
        }
    }

    template <class Wire, class Answer>
    env::Task<std::vector<std::byte>> change(
        const protocol::RequestHead& head, BytesView body,
        Answer (*to_answer)(const raft::VoterChangeResponse&)) {
        protocol::Arena arena;
        const auto wire = protocol::decode<Wire>(body, head.version(), arena);
        auto request = raft::from_wire(*wire, cluster_id_);
        EXPECT_TRUE(request) << request.error().why;
        const auto given = co_await quorum_.ask(*std::move(request), 0);
        co_return framed(head, to_answer(std::get<raft::VoterChangeResponse>(given.response)));
    }

    static env::Task<std::vector<std::byte>> versions(const protocol::RequestHead& head) {
        protocol::ApiVersionsResponse response;
        std::vector<protocol::ApiVersionsResponse::ApiVersion> keys;
        for (const protocol::Api& api : protocol::apis()) {
            keys.push_back(
                {static_cast<std::int16_t>(api.key), api.min_version, api.max_stable_version});
        }
        response.api_keys = keys;
        std::array<protocol::ApiVersionsResponse::SupportedFeatureKey, 1> features;
        features[0].name = "kraft.version";
        features[0].max_version = 1;
        if (head.version() >= 4) response.supported_features = features;
        co_return framed(head, response);
    }

    template <class Wire, class Response>
    env::Task<std::vector<std::byte>> ask(const protocol::RequestHead& head, BytesView body) {
        protocol::Arena arena;
        const auto wire = protocol::decode<Wire>(body, head.version(), arena);
        auto request = raft::from_wire(*wire, cluster_id_);
        EXPECT_TRUE(request) << request.error().why;
        const auto given = co_await quorum_.ask(*std::move(request), 0);
        co_return framed(head,
                         raft::to_wire(std::get<Response>(given.response), given.leader, arena));
    }

    template <class Wire, class Response>
    env::Task<std::vector<std::byte>> fetch(const protocol::RequestHead& head, BytesView body) {
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

    template <class Response>
    static std::vector<std::byte> framed(const protocol::RequestHead& head,
                                         const Response& response) {
        const auto body = protocol::encode(response, head.version());
        EXPECT_TRUE(body) << body.error().why;
        const std::size_t size = protocol::response_head_size(*head.api, head.version());
        std::vector<std::byte> frame(4 + size + body->size());
        ByteWriter writer(frame);
        writer.write(static_cast<std::int32_t>(size + body->size()));
        protocol::write_response_head(*head.api, head.version(), head.header.correlation_id,
                                      writer);
        writer.write_bytes(*body);
        return frame;
    }

    sim::Node& node_;
    Quorum& quorum_;
    const std::string cluster_id_;
    const std::uint16_t port_;
};

}  // namespace milena::drivers

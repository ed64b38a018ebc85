// SPDX-License-Identifier: Apache-2.0
// Answers come in the order of their requests; only those to a Vote are read.
#include "sim/quorum/votes.h"

#include <algorithm>
#include <array>

#include "milena/protocol/codec.h"
#include "milena/protocol/header.h"
#include "milena/protocol/messages/vote.h"

namespace milena::sim {
namespace {

using protocol::VoteRequest;
using protocol::VoteResponse;

/// Fetch, Vote, BeginQuorumEpoch, EndQuorumEpoch, BrokerHeartbeat, AllocateProducerIds. A
/// registration is not among them: whoever hears one again must take it for a new process.
constexpr std::array<std::int16_t, 6> kMayComeAgain{1, 52, 53, 54, 63, 67};
/// One of so many requests is kept.
constexpr std::uint64_t kKeptOfRequests = 7;

}  // namespace

void Eavesdropper::hear(Connection& connection, Connection::Side from, BytesView frame) {
    if (from == 0) {
        hear_request(connection, frame);
    } else {
        hear_answer(connection, frame);
    }
}

void Eavesdropper::hear_request(Connection& connection, BytesView frame) {
    ByteReader reader(frame);
    const auto head = protocol::read_request_head(reader);
    if (!head || !head->has_supported_version()) return;
    const std::int16_t key = head->header.request_api_key;
    if (std::ranges::find(kMayComeAgain, key) != kMayComeAgain.end()) keep(connection, frame);
    if (key != VoteRequest::kApiKey) return;
    arena_.reset();
    const auto request = protocol::decode<VoteRequest>(reader, head->version(), arena_);
    if (!request || request->topics.size() != 1 || request->topics[0].partitions.size() != 1)
        return;
    const auto& asked = request->topics[0].partitions[0];
    if (asked.pre_vote) return;
    const std::int32_t sender = node_of_(connection.end(0).host->name);
    if (sender == asked.replica_id)
        laws_.vote_is_given(sender, asked.replica_epoch, asked.replica_id);
    if (asked_.size() > kAskedMax) asked_.erase(asked_.begin());
    asked_[connection.number()].push_back({.correlation_id = head->header.correlation_id,
                                           .version = head->version(),
                                           .epoch = asked.replica_epoch,
                                           .candidate = asked.replica_id});
}

void Eavesdropper::hear_answer(Connection& connection, BytesView frame) {
    const auto open = asked_.find(connection.number());
    if (open == asked_.end()) return;
    const Asked asked = open->second.front();
    ByteReader reader(frame);
    const auto head = protocol::read_response_head(*protocol::find_api(VoteResponse::kApiKey),
                                                   asked.version, reader);
    if (!head || head->correlation_id != asked.correlation_id) return;
    open->second.pop_front();
    if (open->second.empty()) asked_.erase(open);
    arena_.reset();
    const auto answer = protocol::decode<VoteResponse>(reader, asked.version, arena_);
    if (!answer || answer->topics.size() != 1 || answer->topics[0].partitions.size() != 1) return;
    if (!answer->topics[0].partitions[0].vote_granted) return;
    const std::int32_t voter = node_of_(connection.end(1).host->name);
    laws_.vote_is_given(voter, asked.epoch, asked.candidate);
}

void Eavesdropper::keep(const Connection& connection, BytesView frame) {
    if (++heard_ % kKeptOfRequests != 0) return;
    const env::Endpoint& to = connection.end(1).local;
    HeardRequest heard{.to = to.host, .port = to.port, .frame = FileBytes(4)};
    ByteWriter(heard.frame).write(static_cast<std::int32_t>(frame.size()));
    heard.frame.insert(heard.frame.end(), frame.begin(), frame.end());
    requests_.push_back(std::move(heard));
    if (requests_.size() > kRequestsMax) requests_.pop_front();
}

}  // namespace milena::sim

// SPDX-License-Identifier: Apache-2.0
// OffsetForLeaderEpoch: where an epoch ended in the leader's log, by which followers and consumers
// find out where their history parts from it (KIP-101, KIP-320). Versions 2 to 4.
#include "milena/protocol/messages/offset_for_leader_epoch.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::OffsetForLeaderEpochRequest;
using protocol::OffsetForLeaderEpochResponse;
using replication::EpochAnswer;

EpochAnswer find(const Request& request, const TopicLookup& topic,
                 const OffsetForLeaderEpochRequest::OffsetForLeaderPartition& asked) {
    EpochAnswer out;
    const auto replica = find_replica(request, topic, asked.partition);
    if (!replica) {
        out.code = replica.error().code;
        return out;
    }
    return (*replica)->end_of_epoch(LeaderEpoch(asked.current_leader_epoch),
                                    LeaderEpoch(asked.leader_epoch));
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<OffsetForLeaderEpochRequest>(request));
    const auto image = request.broker().image.load();
    // Brokers may ask for everything, others for what they may describe.
    const bool is_broker =
        request.session.may(security::Operation::cluster_action, security::ResourceType::cluster,
                            security::kClusterResource);
    OffsetForLeaderEpochResponse response;
    auto topics =
        request.arena.make_array<OffsetForLeaderEpochResponse::OffsetForLeaderTopicResult>(
            body.topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
        const auto& asked = body.topics[i];
        const auto topic = find_topic(
            request, *image, asked.topic,
            is_broker ? security::Operation::cluster_action : security::Operation::describe);
        auto parts = request.arena.make_array<OffsetForLeaderEpochResponse::EpochEndOffset>(
            asked.partitions.size());
        for (std::size_t j = 0; j < parts.size(); ++j) {
            const EpochAnswer found = find(request, topic, asked.partitions[j]);
            parts[j].error_code = static_cast<std::int16_t>(found.code);
            parts[j].partition = asked.partitions[j].partition;
            parts[j].leader_epoch = found.end.epoch.value;
            parts[j].end_offset = found.end.end_offset.value;
        }
        topics[i].topic = asked.topic;
        topics[i].partitions = parts;
    }
    response.topics = topics;
    co_return answer(request, response);
}

}  // namespace

Api api_23() {
    return make_api(protocol::ApiKey::offset_for_leader_epoch, &serve);
}

}  // namespace milena::server

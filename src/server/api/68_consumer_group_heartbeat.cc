// SPDX-License-Identifier: Apache-2.0
// ConsumerGroupHeartbeat: a member of a consumer group joins, goes on or leaves (KIP-848). Versions
// 0 and 1; before 1 the coordinator makes members' ids, and there are no patterns.
#include "milena/protocol/messages/consumer_group_heartbeat.h"

#include "../api.h"
#include "../groups/asking.h"
#include "../groups/consumer_protocol.h"
#include "../topics.h"

namespace milena::server {
namespace {

using coordinator::ConsumerHeartbeatReply;
using coordinator::ConsumerHeartbeatRequest;
using protocol::ConsumerGroupHeartbeatRequest;
using protocol::ConsumerGroupHeartbeatResponse;

constexpr std::int16_t kFirstVersionWithOwnIds = 1;

std::vector<coordinator::TopicPartitions> owned_partitions(
    const ConsumerGroupHeartbeatRequest& body) {
    std::vector<coordinator::TopicPartitions> out;
    for (const auto& topic : body.topic_partitions) {
        auto& one = out.emplace_back();
        one.topic = topic.topic_id;
        for (const std::int32_t index : topic.partitions) one.partitions.emplace_back(index);
    }
    return out;
}

ConsumerHeartbeatRequest wanted(const Request& request, const ConsumerGroupHeartbeatRequest& body) {
    ConsumerHeartbeatRequest out;
    out.group = body.group_id;
    out.member_id = body.member_id;
    out.member_epoch = body.member_epoch;
    out.instance_id = owned(body.instance_id);
    out.rack_id = owned(body.rack_id);
    out.rebalance_timeout_ms = body.rebalance_timeout_ms;
    if (body.subscribed_topic_names.has_value()) {
        auto& topics = out.topics.emplace();
        for (const std::string_view name : body.subscribed_topic_names) topics.emplace_back(name);
    }
    out.regex = owned(body.subscribed_topic_regex);
    out.assignor = owned(body.server_assignor);
    if (body.topic_partitions.has_value()) out.owned = owned_partitions(body);
    out.client_id = request.head.header.client_id.value_or("");
    out.client_host = "/" + request.session.client().host;
    out.makes_its_id = request.version() >= kFirstVersionWithOwnIds;
    return out;
}

ErrorCode check_rights(const Request& request, const ConsumerGroupHeartbeatRequest& body) {
    if (!may_group(request, security::Operation::read, body.group_id))
        return ErrorCode::group_authorization_failed;
    if (!body.subscribed_topic_names.has_value()) return ErrorCode::none;
    const bool may_see_all =
        std::ranges::all_of(body.subscribed_topic_names, [&](std::string_view topic) {
            return request.session.may(security::Operation::describe, security::ResourceType::topic,
                                       topic);
        });
    return may_see_all ? ErrorCode::none : ErrorCode::topic_authorization_failed;
}

env::Task<ConsumerHeartbeatReply> beat(Request& request,
                                       const ConsumerGroupHeartbeatRequest& body) {
    ConsumerHeartbeatReply refused;
    refused.code = serves_consumer_protocol(request) ? check_rights(request, body)
                                                     : ErrorCode::unsupported_version;
    if (refused.code != ErrorCode::none) co_return refused;
    auto reply = co_await ask_coordinator_for<ConsumerHeartbeatReply>(request, body.group_id,
                                                                      wanted(request, body));
    if (reply) co_return *std::move(reply);
    refused.code = reply.error().code;
    co_return refused;
}

ConsumerGroupHeartbeatResponse response(Request& request, const ConsumerHeartbeatReply& reply) {
    ConsumerGroupHeartbeatResponse out;
    out.error_code = static_cast<std::int16_t>(reply.code);
    if (!reply.why.empty()) out.error_message = request.arena.copy(error_text(reply.why));
    out.member_id = nullable(reply.member_id);
    out.member_epoch = reply.member_epoch;
    out.heartbeat_interval_ms = reply.heartbeat_interval_ms;
    if (!reply.assignment) return out;
    using Topic = ConsumerGroupHeartbeatResponse::TopicPartitions;
    auto topics = request.arena.make_array<Topic>(reply.assignment->size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
        topics[i].topic_id = (*reply.assignment)[i].topic;
        topics[i].partitions = indexes_of(request, (*reply.assignment)[i]);
    }
    ConsumerGroupHeartbeatResponse::Assignment assignment;
    assignment.topic_partitions = topics;
    out.assignment = assignment;
    return out;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<ConsumerGroupHeartbeatRequest>(request));
    const ConsumerHeartbeatReply reply = co_await beat(request, body);
    const auto out = response(request, reply);
    co_return answer(request, out);
}

}  // namespace

Api api_68() {
    return make_api(protocol::ApiKey::consumer_group_heartbeat, &serve);
}

}  // namespace milena::server

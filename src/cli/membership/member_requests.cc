// SPDX-License-Identifier: Apache-2.0
// JoinGroup, SyncGroup, Heartbeat and LeaveGroup.
#include "membership/member_requests.h"

#include "milena/protocol/messages/embedded.h"
#include "milena/protocol/messages/heartbeat.h"
#include "milena/protocol/messages/join_group.h"
#include "milena/protocol/messages/leave_group.h"
#include "milena/protocol/messages/sync_group.h"

namespace milena::cli {
namespace {

using protocol::ConsumerProtocolAssignment;
using protocol::ConsumerProtocolSubscription;
using protocol::HeartbeatRequest;
using protocol::HeartbeatResponse;
using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;
using protocol::LeaveGroupRequest;
using protocol::LeaveGroupResponse;
using protocol::SyncGroupRequest;
using protocol::SyncGroupResponse;

constexpr std::string_view kConsumer = "consumer";
constexpr std::string_view kRange = "range";
/// Of blobs: every client reads it.
constexpr std::int16_t kBlobVersion = 1;

/// The version, which a blob begins with, and the message.
template <protocol::Message T>
std::vector<std::byte> blob_of(const T& message) {
    std::vector<std::byte> bytes(sizeof(std::int16_t));
    store(bytes.data(), kBlobVersion);
    const auto appended = protocol::append(message, kBlobVersion, bytes);
    INVARIANT(appended, "a blob of version 1 holds topics and partitions");
    return bytes;
}

protocol::NullableString instance_of(const GroupMember& member) {
    if (member.options().instance_id.empty()) return std::nullopt;
    return member.options().instance_id;
}

JoinAnswer join_answer(const JoinGroupResponse& told) {
    JoinAnswer answer{.generation = told.generation_id,
                      .protocol = std::string(told.protocol_name.value_or("")),
                      .member_id = std::string(told.member_id),
                      .leader = std::string(told.leader)};
    for (const auto& one : told.members) {
        answer.members.push_back({.id = std::string(one.member_id),
                                  .instance_id = std::string(one.group_instance_id.value_or("")),
                                  .topics = parse_subscription(one.metadata)});
    }
    return answer;
}

}  // namespace

std::vector<std::byte> subscription_blob(const std::vector<std::string>& topics) {
    const std::vector<std::string_view> names(topics.begin(), topics.end());
    ConsumerProtocolSubscription subscription;
    subscription.topics = names;
    return blob_of(subscription);
}

std::vector<std::byte> assignment_blob(const Assigned& assigned) {
    std::vector<ConsumerProtocolAssignment::TopicPartition> topics;
    std::vector<std::vector<std::int32_t>> numbers;
    for (const auto& [topic, partitions] : assigned) {
        topics.emplace_back().topic = topic;
        numbers.emplace_back(partitions.begin(), partitions.end());
    }
    for (std::size_t i = 0; i < topics.size(); ++i) topics[i].partitions = numbers[i];
    ConsumerProtocolAssignment assignment;
    assignment.assigned_partitions = topics;
    return blob_of(assignment);
}

env::Task<Result<JoinReply>> send_join(Session& session, const GroupMember& member,
                                       JoinTimeouts timeouts) {
    const auto blob = subscription_blob(member.topics());
    std::array<JoinGroupRequest::JoinGroupRequestProtocol, 1> protocols;
    protocols[0].name = kRange;
    protocols[0].metadata = BytesView(blob);
    JoinGroupRequest request;
    request.group_id = member.options().group;
    request.session_timeout_ms = timeouts.session_ms;
    request.rebalance_timeout_ms = timeouts.rebalance_ms;
    request.member_id = member.member_id();
    request.group_instance_id = instance_of(member);
    request.protocol_type = kConsumer;
    request.protocols = protocols;
    CO_TRY(const auto answer, co_await session.client().call<JoinGroupResponse>(
                                  wire::Target::broker(member.coordinator()), request));
    co_return JoinReply{static_cast<ErrorCode>(answer->error_code), join_answer(*answer)};
}

env::Task<Result<SyncReply>> send_sync(Session& session, const GroupMember& member) {
    std::vector<std::vector<std::byte>> blobs;
    std::vector<SyncGroupRequest::SyncGroupRequestAssignment> assignments;
    for (const auto& [id, assigned] : member.assignments()) {
        blobs.push_back(assignment_blob(assigned));
        assignments.emplace_back().member_id = id;
        assignments.back().assignment = BytesView(blobs.back());
    }
    SyncGroupRequest request;
    request.group_id = member.options().group;
    request.generation_id = member.generation();
    request.member_id = member.member_id();
    request.group_instance_id = instance_of(member);
    request.protocol_type = kConsumer;
    request.protocol_name = member.protocol();
    request.assignments = assignments;
    CO_TRY(const auto answer, co_await session.client().call<SyncGroupResponse>(
                                  wire::Target::broker(member.coordinator()), request));
    co_return SyncReply{static_cast<ErrorCode>(answer->error_code),
                        parse_assignment(answer->assignment)};
}

env::Task<Result<ErrorCode>> send_heartbeat(Session& session, const GroupMember& member) {
    HeartbeatRequest request;
    request.group_id = member.options().group;
    request.generation_id = member.generation();
    request.member_id = member.member_id();
    request.group_instance_id = instance_of(member);
    CO_TRY(const auto answer, co_await session.client().call<HeartbeatResponse>(
                                  wire::Target::broker(member.coordinator()), request));
    co_return static_cast<ErrorCode>(answer->error_code);
}

env::Task<void> send_leave(Session& session, const GroupMember& member) {
    const std::string id = member.member_id();
    std::array<LeaveGroupRequest::MemberIdentity, 1> members;
    members[0].member_id = id;
    members[0].reason = "the consumer is being closed";
    LeaveGroupRequest request;
    request.group_id = member.options().group;
    request.members = members;
    static_cast<void>(co_await session.client().call<LeaveGroupResponse>(
        wire::Target::broker(member.coordinator()), request));
}

env::Task<Result<std::map<std::string, std::int32_t>>> count_partitions(
    Session& session, std::vector<std::string> topics) {
    std::map<std::string, std::int32_t> counts;
    if (topics.empty()) co_return counts;
    CO_TRY(const auto metadata, co_await session.client().refresh(&topics));
    for (const auto& topic : metadata->topics) {
        if (!topic.partitions.empty())
            counts[std::string(topic.name.value_or(""))] =
                static_cast<std::int32_t>(topic.partitions.size());
    }
    co_return counts;
}

}  // namespace milena::cli

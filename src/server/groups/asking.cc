// SPDX-License-Identifier: Apache-2.0
// Questions to coordinators, and texts that outlive their frame.
#include "asking.h"

#include <set>

namespace milena::server {
namespace {

/// An id and, in the answer, a name.
constexpr std::size_t kTopicBytes = 256;

}  // namespace

bool may_group(const Request& request, security::Operation operation, std::string_view group) {
    return request.session.may(operation, security::ResourceType::group, group);
}

std::optional<std::string> owned(const protocol::NullableString& text) {
    return text ? std::optional<std::string>(*text) : std::nullopt;
}

coordinator::Bytes owned(BytesView bytes) {
    return {bytes.begin(), bytes.end()};
}

protocol::NullableString nullable(const std::optional<std::string>& text) {
    return text ? protocol::NullableString(*text) : protocol::NullableString();
}

env::Task<Result<coordinator::GroupReply>> ask_coordinator(Request& request, std::string_view group,
                                                           coordinator::GroupRequest question) {
    coordinator::GroupGateway* const groups = request.broker().groups;
    if (groups == nullptr)
        co_return fail(ErrorCode::coordinator_not_available, "no groups are coordinated here");
    const Waiting waiting(request);
    co_return co_await groups->ask(request.connection.owner(), group, std::move(question));
}

std::vector<std::string_view> each_once(std::span<const std::string_view> names) {
    std::vector<std::string_view> once;
    std::set<std::string_view> seen;
    for (const std::string_view name : names) {
        if (seen.insert(name).second) once.push_back(name);
    }
    return once;
}

namespace {

std::size_t bytes_of(const coordinator::GroupMemberName& member) {
    return member.member_id.size() + member.instance_id.size() + member.client_id.size() +
           member.client_host.size();
}

std::size_t bytes_of(const std::optional<coordinator::GroupFacts>& facts) {
    std::size_t bytes = 0;
    if (!facts) return bytes;
    for (const auto& topic : facts->expiring) bytes += sizeof topic + topic.topic.size();
    for (const auto& one : facts->awaited.named) bytes += sizeof one + bytes_of(one.member);
    if (facts->rebalance) {
        bytes += bytes_of(facts->rebalance->reason.member) + facts->rebalance->reason.said.size() +
                 bytes_of(facts->rebalance->slowest);
    }
    return bytes;
}

}  // namespace

std::size_t bytes_of(const coordinator::FetchOffsetsReply& reply) {
    std::size_t bytes = 0;
    for (const auto& topic : reply.topics) {
        bytes += sizeof topic + topic.name.size();
        for (const auto& offset : topic.partitions) bytes += sizeof offset + offset.metadata.size();
    }
    return bytes;
}

std::size_t bytes_of(const coordinator::DescribeGroupReply& reply) {
    std::size_t bytes = bytes_of(reply.facts);
    for (const auto& member : reply.members) {
        bytes += sizeof member + member.member_id.size() + member.client_id.size() +
                 member.client_host.size() + member.metadata.size() + member.assignment.size();
    }
    return bytes;
}

std::size_t bytes_of(const coordinator::DescribeConsumerGroupReply& reply) {
    std::size_t bytes = bytes_of(reply.facts);
    for (const auto& member : reply.members) {
        bytes += sizeof member + member.member_id.size() + member.client_id.size() +
                 member.client_host.size() + member.regex.size();
        for (const std::string& topic : member.topics) bytes += sizeof topic + topic.size();
        for (const auto* const partitions : {&member.assignment, &member.target}) {
            for (const auto& topic : *partitions)
                bytes += kTopicBytes + topic.partitions.size() * sizeof(PartitionIndex);
        }
    }
    return bytes;
}

}  // namespace milena::server

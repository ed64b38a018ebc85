// SPDX-License-Identifier: Apache-2.0
// ConsumerGroupDescribe where brokers have it, and DescribeGroups for what that does not know.
#include "groups/group_states.h"

#include <algorithm>

#include <fmt/format.h>

#include "groups/coordinators.h"
#include "milena/protocol/messages/consumer_group_describe.h"
#include "milena/protocol/messages/describe_groups.h"
#include "milena/protocol/messages/embedded.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::ConsumerGroupDescribeRequest;
using protocol::ConsumerGroupDescribeResponse;
using protocol::ConsumerProtocolAssignment;
using protocol::ConsumerProtocolSubscription;
using protocol::DescribeGroupsRequest;
using protocol::DescribeGroupsResponse;

GroupDescription classic_group(const DescribeGroupsResponse::DescribedGroup& told) {
    GroupDescription group{.name = std::string(told.group_id),
                           .state = std::string(told.group_state),
                           .assignor = std::string(told.protocol_data)};
    for (const auto& one : told.members) {
        MemberState member{.id = std::string(one.member_id),
                           .instance_id = std::string(one.group_instance_id.value_or("")),
                           .client_id = std::string(one.client_id),
                           .host = std::string(one.client_host),
                           .assigned = parse_assignment(one.member_assignment),
                           .target = {},
                           .epoch = {}};
        member.topics = parse_subscription(one.member_metadata);
        group.members.push_back(std::move(member));
    }
    group.facts = parse_facts(told.milena_facts);
    return group;
}

Assigned assigned_of(const ConsumerGroupDescribeResponse::Assignment& told) {
    Assigned assigned;
    for (const auto& topic : told.topic_partitions)
        assigned[std::string(topic.topic_name)].insert(topic.partitions.begin(),
                                                       topic.partitions.end());
    return assigned;
}

GroupDescription consumer_group(const ConsumerGroupDescribeResponse::DescribedGroup& told) {
    GroupDescription group{.name = std::string(told.group_id),
                           .state = std::string(told.group_state),
                           .assignor = std::string(told.assignor_name),
                           .is_classic = false,
                           .epoch = told.group_epoch,
                           .assignment_epoch = told.assignment_epoch};
    for (const auto& one : told.members) {
        MemberState member{.id = std::string(one.member_id),
                           .instance_id = std::string(one.instance_id.value_or("")),
                           .client_id = std::string(one.client_id),
                           .host = std::string(one.client_host),
                           .assigned = assigned_of(one.assignment),
                           .target = assigned_of(one.target_assignment),
                           .epoch = one.member_epoch};
        for (const std::string_view topic : one.subscribed_topic_names)
            member.topics.emplace_back(topic);
        group.members.push_back(std::move(member));
    }
    group.facts = parse_facts(told.milena_facts);
    return group;
}

/// What is known so far, and how it is asked for.
struct Describing {
    Session& session;
    GroupDescriptions& descriptions;
    Telling telling;

    /// Notes a group, or its error. True if its coordinator has to be looked for again.
    bool note(std::int16_t error_code, std::string_view message, GroupDescription group,
              BrokerId coordinator) const;
    env::Task<Result<std::vector<std::string>>> ask_newer(BrokerId coordinator,
                                                          std::vector<std::string> groups,
                                                          std::vector<std::string>& others) const;
    env::Task<Result<std::vector<std::string>>> ask_classic(BrokerId coordinator,
                                                            std::vector<std::string> groups) const;
    env::Task<Result<std::vector<std::string>>> ask(BrokerId coordinator,
                                                    std::vector<std::string> groups) const;
};

bool Describing::note(std::int16_t error_code, std::string_view message, GroupDescription group,
                      BrokerId coordinator) const {
    const auto code = static_cast<ErrorCode>(error_code);
    if (is_coordinator_moving(code)) return true;
    const std::string name = group.name;
    if (code != ErrorCode::none) {
        descriptions.insert_or_assign(name, std::unexpected(answered_error(error_code, message)));
        return false;
    }
    group.coordinator = coordinator;
    const auto& nodes = session.client().nodes();
    if (const auto node = nodes.find(coordinator); node != nodes.end())
        group.endpoint = node->second.endpoint;
    descriptions.insert_or_assign(name, std::move(group));
    return false;
}

/// Groups that the request does not know are added to `others`.
env::Task<Result<std::vector<std::string>>> Describing::ask_newer(
    BrokerId coordinator, std::vector<std::string> groups, std::vector<std::string>& others) const {
    const std::vector<std::string_view> names(groups.begin(), groups.end());
    ConsumerGroupDescribeRequest request;
    request.group_ids = names;
    request.include_milena_facts = telling == Telling::with_facts;
    CO_TRY(const auto answer, co_await session.client().call<ConsumerGroupDescribeResponse>(
                                  wire::Target::broker(coordinator), request));
    std::vector<std::string> again;
    for (const auto& told : answer->groups) {
        const auto code = static_cast<ErrorCode>(told.error_code);
        if (code == ErrorCode::group_id_not_found || code == ErrorCode::unsupported_version) {
            others.emplace_back(told.group_id);
        } else if (note(told.error_code, told.error_message.value_or(""), consumer_group(told),
                        coordinator)) {
            again.emplace_back(told.group_id);
        }
    }
    co_return again;
}

env::Task<Result<std::vector<std::string>>> Describing::ask_classic(
    BrokerId coordinator, std::vector<std::string> groups) const {
    const std::vector<std::string_view> names(groups.begin(), groups.end());
    DescribeGroupsRequest request;
    request.groups = names;
    request.include_milena_facts = telling == Telling::with_facts;
    CO_TRY(const auto answer, co_await session.client().call<DescribeGroupsResponse>(
                                  wire::Target::broker(coordinator), request));
    std::vector<std::string> again;
    for (const auto& told : answer->groups) {
        if (told.error_code == 0 && !told.protocol_type.empty() &&
            told.protocol_type != "consumer") {
            descriptions.insert_or_assign(
                std::string(told.group_id),
                refuse(fmt::format("GroupId {} is not a consumer group ({}).", told.group_id,
                                   told.protocol_type)));
        } else if (note(told.error_code, told.error_message.value_or(""), classic_group(told),
                        coordinator)) {
            again.emplace_back(told.group_id);
        }
    }
    co_return again;
}

env::Task<Result<std::vector<std::string>>> Describing::ask(BrokerId coordinator,
                                                            std::vector<std::string> groups) const {
    CO_TRY(const auto version,
           co_await session.client().version_of(wire::Target::broker(coordinator),
                                                protocol::ApiKey::consumer_group_describe));
    std::vector<std::string> again;
    std::vector<std::string> classic;
    if (version) {
        CO_TRY(again, co_await ask_newer(coordinator, std::move(groups), classic));
    } else {
        classic = std::move(groups);
    }
    if (classic.empty()) co_return again;
    CO_TRY(const auto more, co_await ask_classic(coordinator, std::move(classic)));
    again.insert(again.end(), more.begin(), more.end());
    co_return again;
}

}  // namespace

std::size_t count(const Assigned& partitions) {
    std::size_t sum = 0;
    for (const auto& [topic, numbers] : partitions) sum += numbers.size();
    return sum;
}

bool GroupDescription::is_rebalancing() const {
    return state == "PreparingRebalance" || state == "CompletingRebalance" ||
           state == "Assigning" || state == "Reconciling";
}

std::vector<std::string> parse_subscription(BytesView blob) {
    protocol::Arena arena;
    std::vector<std::string> topics;
    if (blob.size() < sizeof(std::int16_t)) return topics;
    const auto version = load<std::int16_t>(blob.data());
    if (version < 0) return topics;
    const auto known = std::min(version, ConsumerProtocolSubscription::kMaxVersion);
    const auto subscription = protocol::decode<ConsumerProtocolSubscription>(
        blob.subspan(sizeof(std::int16_t)), known, arena);
    if (!subscription) return topics;
    for (const std::string_view topic : subscription->topics) topics.emplace_back(topic);
    return topics;
}

Assigned parse_assignment(BytesView blob) {
    Assigned assigned;
    if (blob.size() < sizeof(std::int16_t)) return assigned;
    const auto version = load<std::int16_t>(blob.data());
    if (version < 0) return assigned;
    protocol::Arena arena;
    const auto assignment = protocol::decode<ConsumerProtocolAssignment>(
        blob.subspan(sizeof(std::int16_t)),
        std::min(version, ConsumerProtocolAssignment::kMaxVersion), arena);
    if (!assignment) return assigned;
    for (const auto& topic : assignment->assigned_partitions)
        assigned[std::string(topic.topic)].insert(topic.partitions.begin(), topic.partitions.end());
    return assigned;
}

env::Task<Result<GroupDescriptions>> describe_groups(Session& session,
                                                     std::vector<std::string> groups,
                                                     env::Instant give_up, Telling telling) {
    GroupDescriptions descriptions;
    const Describing describing{session, descriptions, telling};
    if (groups.empty()) co_return descriptions;
    CO_TRY_VOID(co_await ask_coordinators(
        session, std::move(groups), give_up,
        [&describing](BrokerId coordinator, const std::vector<std::string>& some) {
            return describing.ask(coordinator, some);
        }));
    co_return descriptions;
}

env::Task<Result<std::map<std::string, GroupDescription>>> describe_all(
    Session& session, std::vector<std::string> groups, env::Instant give_up) {
    CO_TRY(auto descriptions, co_await describe_groups(session, std::move(groups), give_up));
    std::map<std::string, GroupDescription> described;
    for (auto& [name, description] : descriptions) {
        if (!description && description.error().code == ErrorCode::none)
            co_return refuse(exception_text(description.error()));
        if (!description) co_return std::unexpected(description.error());
        described.emplace(name, std::move(*description));
    }
    co_return described;
}

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// The five actions of kafka-topics.
#include "cluster/topic_actions.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console.h"
#include "milena/protocol/messages/create_partitions.h"
#include "milena/protocol/messages/create_topics.h"
#include "milena/protocol/messages/delete_topics.h"
#include "text/exceptions.h"
#include "text/hash_order.h"
#include "text/topic_filter.h"

namespace milena::cli {
namespace {

constexpr std::int32_t kTimeoutMs = 30'000;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

Result<std::int32_t> parse_broker(std::string_view text) {
    std::int32_t id = 0;
    text = trimmed(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return refuse(fmt::format("For input string: \"{}\"", text));
    return id;
}

/// The names that the choice means, sorted; an error if there should be one and is none.
env::Task<Result<std::vector<std::string>>> chosen(Session& session, const TopicChoice& choice) {
    CO_TRY(auto names, co_await list_topics(session, choice.with_internal));
    std::ranges::sort(names);
    if (!choice.has_pattern) co_return names;
    CO_TRY(const auto filter, TopicFilter::parse(choice.pattern));
    std::erase_if(names, [&filter](const std::string& name) { return !filter.allows(name); });
    co_return names;
}

env::Task<Result<std::vector<std::string>>> chosen_and_there(Session& session,
                                                             const TopicChoice& choice) {
    CO_TRY(auto names, co_await chosen(session, choice));
    if (names.empty() && choice.has_pattern && !choice.pattern.empty() && !choice.may_be_absent)
        co_return refuse(fmt::format("Topic '{}' does not exist as expected", choice.pattern));
    co_return names;
}

/// The first error among a request's answers, which have a code and a message each.
template <class Answers>
Result<void> first_error(const Answers& answers) {
    for (const auto& answer : answers) {
        if (answer.error_code != 0) {
            return std::unexpected(
                answered_error(answer.error_code, answer.error_message.value_or("")));
        }
    }
    return ok();
}

/// Nothing where the cluster does not tell.
env::Task<Result<Reassignments>> reassignments_if_told(Session& session) {
    auto reassignments = co_await list_reassignments(session);
    if (!reassignments && reassignments.error().code == ErrorCode::unsupported_version)
        co_return Reassignments{};
    co_return reassignments;
}

env::Task<Result<std::vector<TopicState>>> chosen_states(Session& session,
                                                         const TopicChoice& choice) {
    if (choice.id && !choice.id->is_zero()) {
        CO_TRY(const auto topic, co_await describe_topic(session, *choice.id));
        std::vector<TopicState> states;
        if (!topic && !choice.may_be_absent)
            co_return refuse(fmt::format("TopicId '{}' does not exist as expected", *choice.id));
        if (!topic) co_return states;
        co_return co_await describe_topics(session, {topic->name}, choice.page);
    }
    CO_TRY(const auto names, co_await chosen_and_there(session, choice));
    co_return co_await describe_topics(session, names, choice.page);
}

}  // namespace

Result<ReplicaAssignment> parse_replica_assignment(std::string_view text) {
    ReplicaAssignment assignment;
    if (text.empty()) return assignment;
    for (const std::string_view partition : split(text, ',')) {
        BrokerIds& brokers = assignment.emplace_back();
        for (const std::string_view one : split(partition, ':')) {
            TRY(const std::int32_t id, parse_broker(one));
            if (std::ranges::find(brokers, id) != brokers.end()) {
                return refuse(fmt::format(
                    "Partition replica lists may not contain duplicate entries: {}", id));
            }
            brokers.push_back(id);
        }
        if (brokers.size() != assignment.front().size()) {
            return refuse(fmt::format("Partition {} has different replication factor: {}",
                                      assignment.size() - 1, fmt::join(brokers, ", ")));
        }
    }
    return assignment;
}

Result<TopicConfigs> parse_topic_configs(const std::vector<std::string>& entries) {
    TopicConfigs configs;
    for (const std::string& entry : entries) {
        const auto parts = split(entry, '=');
        if (parts.size() != 2 || parts[1].empty()) {
            return refuse(
                "requirement failed: Invalid topic config: all configs to be added must be in the "
                "format \"key=val\".");
        }
        configs.emplace_back(trimmed(parts[0]), trimmed(parts[1]));
    }
    return configs;
}

env::Task<Result<void>> create_topic(Session& session, const NewTopic& topic) {
    using protocol::CreateTopicsRequest;
    if (topic.name.find_first_of("._") != std::string::npos) {
        print(
            "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore "
            "('_') could collide. To avoid issues it is best to use either, but not both.\n");
    }
    std::vector<CreateTopicsRequest::CreatableReplicaAssignment> assignments;
    for (const BrokerIds& brokers : topic.assignment) {
        auto& assignment = assignments.emplace_back();
        assignment.partition_index = static_cast<std::int32_t>(assignments.size() - 1);
        assignment.broker_ids = brokers;
    }
    std::vector<CreateTopicsRequest::CreatableTopicConfig> configs;
    for (const auto& [name, value] : topic.configs) configs.push_back({name, value});
    std::array<CreateTopicsRequest::CreatableTopic, 1> topics;
    topics[0].name = topic.name;
    topics[0].num_partitions = static_cast<std::int32_t>(topic.partitions);
    topics[0].replication_factor = static_cast<std::int16_t>(topic.replication_factor);
    topics[0].assignments = assignments;
    topics[0].configs = configs;
    CreateTopicsRequest request;
    request.topics = topics;
    request.timeout_ms = kTimeoutMs;
    CO_TRY(const auto answer,
           co_await session.ask<protocol::CreateTopicsResponse>(session.decider(), request));
    const auto created = first_error(answer->topics);
    if (!created && topic.may_exist && created.error().code == ErrorCode::topic_already_exists)
        co_return ok();
    CO_TRY_VOID(created);
    print(fmt::format("Created topic {}.\n", topic.name));
    co_return ok();
}

env::Task<Result<void>> print_topics(Session& session, const TopicChoice& choice) {
    CO_TRY(const auto names, co_await chosen(session, choice));
    print(fmt::format("{}\n", fmt::join(names, "\n")));
    co_return ok();
}

env::Task<Result<void>> print_descriptions(Session& session, const TopicChoice& choice,
                                           const DescribeFilter& filter) {
    CO_TRY(auto states, co_await chosen_states(session, choice));
    std::vector<std::string> names;
    for (const TopicState& state : states) names.push_back(state.name);
    CO_TRY(auto configs,
           co_await describe_configs(session, wire::Target::any(), ResourceType::topic, names));
    CO_TRY_VOID(co_await session.client().refresh(&names));
    std::set<std::int32_t> live_brokers;
    for (const auto& [id, node] : session.client().nodes()) live_brokers.insert(id.value);
    CO_TRY(auto reassignments, co_await reassignments_if_told(session));
    const std::vector<std::string_view> keys(names.begin(), names.end());
    for (const std::size_t at : hash_order(keys)) {
        TopicDescription topic{std::move(states[at]), {}, {}};
        if (at < configs.size()) topic.configs = std::move(configs[at].entries);
        topic.reassignments = std::move(reassignments[topic.state.name]);
        print(describe_text(topic, filter, live_brokers));
    }
    co_return ok();
}

env::Task<Result<void>> add_partitions(Session& session, const TopicChoice& choice,
                                       std::int64_t count, const ReplicaAssignment& assignment) {
    using protocol::CreatePartitionsRequest;
    CO_TRY(const auto names, co_await chosen_and_there(session, choice));
    if (names.empty()) co_return ok();
    CO_TRY(const auto states, co_await describe_topics(session, names, choice.page));
    std::vector<CreatePartitionsRequest::CreatePartitionsTopic> topics(names.size());
    std::vector<std::vector<CreatePartitionsRequest::CreatePartitionsAssignment>> lists(
        names.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        topics[i].name = states[i].name;
        topics[i].count = static_cast<std::int32_t>(count);
        topics[i].assignments = std::nullopt;
        if (assignment.empty()) continue;
        // The assignment names the partitions that are there too.
        for (std::size_t p = states[i].partitions.size(); p < assignment.size(); ++p)
            lists[i].emplace_back().broker_ids = assignment[p];
        topics[i].assignments = lists[i];
    }
    CreatePartitionsRequest request;
    request.topics = topics;
    request.timeout_ms = kTimeoutMs;
    CO_TRY(const auto answer,
           co_await session.ask<protocol::CreatePartitionsResponse>(session.decider(), request));
    co_return first_error(answer->results);
}

env::Task<Result<void>> delete_topics(Session& session, const TopicChoice& choice) {
    using protocol::DeleteTopicsRequest;
    CO_TRY(const auto names, co_await chosen_and_there(session, choice));
    if (names.empty()) co_return ok();
    constexpr std::int16_t kFirstWithIds = 6;
    CO_TRY(const auto version, co_await session.client().version_of(
                                   session.decider(), protocol::ApiKey::delete_topics));
    DeleteTopicsRequest request;
    std::vector<DeleteTopicsRequest::DeleteTopicState> topics;
    const std::vector<std::string_view> texts(names.begin(), names.end());
    for (const std::string& name : names) topics.emplace_back().name = name;
    if (version.value_or(0) >= kFirstWithIds) {
        request.topics = topics;
    } else {
        request.topic_names = texts;
    }
    request.timeout_ms = kTimeoutMs;
    CO_TRY(const auto answer,
           co_await session.ask<protocol::DeleteTopicsResponse>(session.decider(), request));
    co_return first_error(answer->responses);
}

}  // namespace milena::cli

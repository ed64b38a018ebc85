// SPDX-License-Identifier: Apache-2.0
// Throttles as configs of brokers and topics.
#include "moves/throttles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cluster/config_entries.h"
#include "console.h"
#include "milena/protocol/messages/incremental_alter_configs.h"
#include "moves/move_text.h"
#include "text/exceptions.h"
#include "text/hash_order.h"

namespace milena::cli {
namespace {

using protocol::IncrementalAlterConfigsRequest;
using protocol::IncrementalAlterConfigsResponse;

constexpr std::int8_t kSet = 0;
constexpr std::int8_t kDelete = 1;

constexpr std::string_view kLeaderRate = "leader.replication.throttled.rate";
constexpr std::string_view kFollowerRate = "follower.replication.throttled.rate";
constexpr std::string_view kDirectoryRate = "replica.alter.log.dirs.io.max.bytes.per.second";
constexpr std::string_view kLeaderReplicas = "leader.replication.throttled.replicas";
constexpr std::string_view kFollowerReplicas = "follower.replication.throttled.replicas";

/// A config and its value; nothing deletes it.
using Changes = std::vector<std::pair<std::string_view, std::optional<std::string>>>;

env::Task<Result<void>> alter(Session& session, wire::Target target, ResourceType type,
                              const std::map<std::string, Changes>& resources) {
    std::vector<IncrementalAlterConfigsRequest::AlterConfigsResource> asked;
    std::vector<std::vector<IncrementalAlterConfigsRequest::AlterableConfig>> configs;
    for (const auto& [name, changes] : resources) {
        auto& of_resource = configs.emplace_back();
        for (const auto& [key, value] : changes) {
            auto& config = of_resource.emplace_back();
            config.name = key;
            config.config_operation = value ? kSet : kDelete;
            config.value = std::nullopt;
            if (value) config.value = *value;
        }
        asked.emplace_back().resource_type = static_cast<std::int8_t>(type);
        asked.back().resource_name = name;
    }
    for (std::size_t i = 0; i < asked.size(); ++i) asked[i].configs = configs[i];
    IncrementalAlterConfigsRequest request;
    request.resources = asked;
    CO_TRY(const auto answer,
           co_await session.ask<IncrementalAlterConfigsResponse>(target, request));
    for (const auto& response : answer->responses) {
        if (response.error_code != 0) {
            co_return std::unexpected(
                answered_error(response.error_code, response.error_message.value_or("")));
        }
    }
    co_return ok();
}

/// Each broker is asked for its own. Gives those that are down, which nobody changes.
env::Task<Result<BrokerIds>> alter_brokers(Session& session, const std::set<std::int32_t>& brokers,
                                           const Changes& changes) {
    CO_TRY_VOID(co_await session.client().refresh_nodes());
    BrokerIds down;
    for (const std::int32_t broker : brokers) {
        const bool is_up = session.client().nodes().contains(BrokerId(broker));
        if (!is_up && !session.to_controllers()) {
            down.push_back(broker);
            continue;
        }
        const auto target =
            session.to_controllers() ? session.decider() : wire::Target::broker(BrokerId(broker));
        const std::map<std::string, Changes> one{{std::to_string(broker), changes}};
        CO_TRY_VOID(co_await alter(session, target, ResourceType::broker, one));
    }
    co_return down;
}

/// In the order of the tool.
template <class T>
std::string listed(const std::vector<T>& all, const std::vector<std::size_t>& order) {
    std::vector<T> ordered;
    for (const std::size_t at : order) ordered.push_back(all[at]);
    return fmt::format("{}", fmt::join(ordered, ","));
}

env::Task<Result<BrokerIds>> clear_brokers(Session& session, const ReassignmentPlan& plan) {
    CO_TRY_VOID(co_await session.client().refresh_nodes());
    std::set<std::int32_t> brokers;
    for (const auto& [id, node] : session.client().nodes()) brokers.insert(id.value);
    for (const auto& [partition, replicas] : plan.partitions)
        brokers.insert(replicas.begin(), replicas.end());
    const std::vector<std::int32_t> ids(brokers.begin(), brokers.end());
    print(fmt::format("Clearing broker-level throttles on broker{} {}\n", plural(ids.size()),
                      listed(ids, hash_order(ids, kHashMapCapacity))));
    co_return co_await alter_brokers(session, brokers,
                                     {{kLeaderRate, std::nullopt},
                                      {kFollowerRate, std::nullopt},
                                      {kDirectoryRate, std::nullopt}});
}

}  // namespace

env::Task<Result<void>> throttle_moves(Session& session, const MoveMap& moves,
                                       std::int64_t bytes_per_s) {
    const auto leaders = leader_throttles(moves);
    const auto followers = follower_throttles(moves);
    std::map<std::string, Changes> topics;
    for (const auto& [topic, replicas] : leaders)
        topics[topic].emplace_back(kLeaderReplicas, replicas);
    for (const auto& [topic, replicas] : followers)
        topics[topic].emplace_back(kFollowerReplicas, replicas);
    CO_TRY_VOID(co_await alter(session, session.decider(), ResourceType::topic, topics));
    const std::string rate = std::to_string(bytes_per_s);
    // One that is down sends nothing.
    CO_TRY_VOID(co_await alter_brokers(session, moving_brokers(moves),
                                       {{kLeaderRate, rate}, {kFollowerRate, rate}}));
    print(fmt::format("The inter-broker throttle limit was set to {} B/s\n", bytes_per_s));
    co_return ok();
}

env::Task<Result<void>> throttle_directories(Session& session,
                                             const std::set<std::int32_t>& brokers,
                                             std::int64_t bytes_per_s) {
    CO_TRY_VOID(
        co_await alter_brokers(session, brokers, {{kDirectoryRate, std::to_string(bytes_per_s)}}));
    print(fmt::format("The replica-alter-dir throttle limit was set to {} B/s\n", bytes_per_s));
    co_return ok();
}

env::Task<Result<void>> clear_throttles(Session& session, const ReassignmentPlan& plan) {
    CO_TRY(const auto down, co_await clear_brokers(session, plan));
    std::map<std::string, Changes> topics;
    for (const auto& [partition, replicas] : plan.partitions) {
        topics[partition.topic] = {{kLeaderReplicas, std::nullopt},
                                   {kFollowerReplicas, std::nullopt}};
    }
    std::vector<std::string_view> names;
    for (const auto& [topic, changes] : topics) names.push_back(topic);
    print(fmt::format("Clearing topic-level throttles on topic{} {}\n", plural(names.size()),
                      listed(names, default_hash_order(names))));
    if (!topics.empty())
        CO_TRY_VOID(co_await alter(session, session.decider(), ResourceType::topic, topics));
    if (down.empty()) co_return ok();
    co_return fail(ErrorCode::broker_not_available,
                   fmt::format("What is down keeps its throttles: {}. Do this again when it is "
                               "back, or take them away at a controller (configs "
                               "--bootstrap-controller).",
                               fmt::join(down, ",")));
}

}  // namespace milena::cli

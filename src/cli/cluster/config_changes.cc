// SPDX-License-Identifier: Apache-2.0
// DescribeConfigs and IncrementalAlterConfigs as kafka-configs uses them.
#include "cluster/config_changes.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cluster/topic_states.h"
#include "console.h"
#include "milena/protocol/messages/incremental_alter_configs.h"
#include "milena/protocol/messages/list_config_resources.h"
#include "milena/protocol/messages/list_groups.h"
#include "text/exceptions.h"
#include "text/hash_order.h"

namespace milena::cli {
namespace {

using Names = std::vector<std::string>;

constexpr std::int8_t kSet = 0;
constexpr std::int8_t kDelete = 1;

/// "topics" is of several, "topic" of one.
std::string_view singular(const ConfigEntity& entity) {
    return std::string_view(entity.type_name).substr(0, entity.type_name.size() - 1);
}

std::optional<BrokerId> broker_of(const std::string& name) {
    std::int32_t id = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (name.empty() || error != std::errc() || end != name.data() + name.size())
        return std::nullopt;
    return BrokerId(id);
}

/// A broker's own configs are asked of itself.
wire::Target target_of(const ConfigEntity& entity, const std::string& name) {
    const bool is_broker =
        entity.type == ResourceType::broker || entity.type == ResourceType::broker_logger;
    const auto id = is_broker ? broker_of(name) : std::nullopt;
    return id ? wire::Target::broker(*id) : wire::Target::any();
}

ConfigSource source_of(ResourceType type, const std::string& name) {
    switch (type) {
        case ResourceType::topic: return ConfigSource::dynamic_topic;
        case ResourceType::broker:
            return name.empty() ? ConfigSource::dynamic_default_broker
                                : ConfigSource::dynamic_broker;
        case ResourceType::broker_logger: return ConfigSource::dynamic_broker_logger;
        case ResourceType::client_metrics: return ConfigSource::dynamic_client_metrics;
        case ResourceType::group: return ConfigSource::dynamic_group;
    }
    return ConfigSource::unknown;
}

env::Task<Result<Names>> resources_with_configs(Session& session, ResourceType type) {
    using protocol::ListConfigResourcesRequest;
    const std::array<std::int8_t, 1> types{static_cast<std::int8_t>(type)};
    ListConfigResourcesRequest request;
    request.resource_types = types;
    CO_TRY(const auto answer, co_await session.ask<protocol::ListConfigResourcesResponse>(
                                  wire::Target::any(), request));
    if (answer->error_code != 0) co_return std::unexpected(answered_error(answer->error_code, ""));
    Names names;
    for (const auto& resource : answer->config_resources) {
        if (resource.resource_type == types[0]) names.emplace_back(resource.resource_name);
    }
    co_return names;
}

env::Task<Result<Names>> groups(Session& session) {
    CO_TRY(auto names, co_await resources_with_configs(session, ResourceType::group));
    CO_TRY_VOID(co_await session.client().refresh_nodes());
    const auto nodes = session.client().nodes();
    for (const auto& [id, node] : nodes) {
        const protocol::ListGroupsRequest request;
        CO_TRY(const auto answer, co_await session.ask<protocol::ListGroupsResponse>(
                                      wire::Target::broker(id), request));
        for (const auto& group : answer->groups) names.emplace_back(group.group_id);
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    co_return names;
}

env::Task<Result<Names>> brokers(Session& session) {
    CO_TRY_VOID(co_await session.client().refresh_nodes());
    Names names;
    for (const auto& [id, node] : session.client().nodes())
        names.push_back(std::to_string(id.value));
    co_return names;
}

/// All of the type, as they would be listed.
env::Task<Result<Names>> entities_of(Session& session, ResourceType type) {
    switch (type) {
        case ResourceType::topic: {
            CO_TRY(const auto topics, co_await list_topics(session, true));
            const std::vector<std::string_view> keys(topics.begin(), topics.end());
            Names ordered;
            for (const std::size_t at : default_hash_order(keys)) ordered.push_back(topics[at]);
            co_return ordered;
        }
        case ResourceType::broker:
        case ResourceType::broker_logger: {
            CO_TRY(auto names, co_await brokers(session));
            if (type == ResourceType::broker) names.emplace_back();
            co_return names;
        }
        case ResourceType::client_metrics: co_return co_await resources_with_configs(session, type);
        case ResourceType::group: break;
    }
    co_return co_await groups(session);
}

/// Whether the tool answers that there is no such thing, rather than with an empty list.
bool may_be_missing(const ConfigEntity& entity, bool all) {
    return entity.name && !all && entity.type != ResourceType::broker;
}

env::Task<Result<void>> print_one(Session& session, const ConfigEntity& entity,
                                  const std::string& name, bool all) {
    if (name.empty()) {
        print(fmt::format("Default configs for {} in the cluster are:\n", entity.type_name));
    } else {
        print(fmt::format("{} configs for {} {} are:\n", all ? "All" : "Dynamic", singular(entity),
                          name));
    }
    const Names names{name};
    CO_TRY(auto resources,
           co_await describe_configs(session, target_of(entity, name), entity.type, names));
    for (ResourceConfigs& resource : resources) {
        std::ranges::sort(resource.entries, {}, &ConfigEntry::name);
        for (const ConfigEntry& entry : resource.entries) {
            if (all || entry.source == source_of(entity.type, name)) print(config_line(entry));
        }
    }
    co_return ok();
}

/// Loggers that are not there are refused before anything is sent.
env::Task<Result<void>> check_loggers(Session& session, const std::string& broker,
                                      const ConfigChange& change) {
    const Names names{broker};
    const auto id = broker_of(broker);
    CO_TRY(const auto resources,
           co_await describe_configs(session, wire::Target::broker(id.value_or(kNoBroker)),
                                     ResourceType::broker_logger, names));
    const auto is_unknown = [&resources](const std::string& logger) {
        return resources.empty() ||
               std::ranges::find(resources[0].entries, logger, &ConfigEntry::name) ==
                   resources[0].entries.end();
    };
    Names unknown;
    std::ranges::copy_if(change.deleted, std::back_inserter(unknown), is_unknown);
    for (const auto& [logger, level] : change.added) {
        if (is_unknown(logger)) unknown.push_back(logger);
    }
    if (unknown.empty()) co_return ok();
    co_return refuse(fmt::format("Invalid broker logger(s): {}", fmt::join(unknown, ",")));
}

}  // namespace

std::string config_line(const ConfigEntry& entry) {
    std::string synonyms;
    for (const ConfigSynonym& synonym : entry.synonyms) {
        synonyms +=
            fmt::format("{}{}:{}={}", synonyms.empty() ? "" : ", ", source_name(synonym.source),
                        synonym.name, synonym.value.value_or("null"));
    }
    return fmt::format("  {}={} sensitive={} synonyms={{{}}}\n", entry.name,
                       entry.value.value_or("null"), entry.is_sensitive, synonyms);
}

Result<std::map<std::string, std::string>> parse_added_configs(std::string_view text) {
    std::map<std::string, std::string> added;
    while (!text.empty()) {
        std::size_t end = 0;
        for (bool in_brackets = false; end < text.size() && (text[end] != ',' || in_brackets);
             ++end) {
            if (text[end] == '[') in_brackets = true;
            if (text[end] == ']') in_brackets = false;
        }
        const std::string_view entry = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos ||
            entry.find('=', equals + 1) != std::string_view::npos) {
            return refuse(
                "Invalid entity config: all configs to be added must be in the format \"key=val\" "
                "or  \"key=[val1,val2]\" to group values which contain commas.");
        }
        const auto trim = [](std::string_view part) {
            while (part.starts_with(' ')) part.remove_prefix(1);
            while (part.ends_with(' ')) part.remove_suffix(1);
            return std::string(part);
        };
        std::string value = trim(entry.substr(equals + 1));
        std::erase_if(value, [](char c) { return c == '[' || c == ']'; });
        added[trim(entry.substr(0, equals))] = value;
    }
    return added;
}

env::Task<Result<void>> print_configs(Session& session, const ConfigEntity& entity, bool all) {
    if (may_be_missing(entity, all)) {
        CO_TRY(const auto names, co_await entities_of(session, entity.type));
        if (std::ranges::find(names, *entity.name) == names.end()) {
            print(fmt::format("The {} '{}' doesn't exist and doesn't have dynamic config.\n",
                              singular(entity), *entity.name));
            co_return ok();
        }
    }
    Names names;
    if (entity.name) {
        names.push_back(*entity.name);
    } else {
        CO_TRY(names, co_await entities_of(session, entity.type));
    }
    for (const std::string& name : names)
        CO_TRY_VOID(co_await print_one(session, entity, name, all));
    co_return ok();
}

env::Task<Result<void>> alter_configs(Session& session, const ConfigEntity& entity,
                                      const ConfigChange& change) {
    using protocol::IncrementalAlterConfigsRequest;
    const std::string name = entity.name.value_or("");
    if (entity.type == ResourceType::broker_logger)
        CO_TRY_VOID(co_await check_loggers(session, name, change));
    std::vector<IncrementalAlterConfigsRequest::AlterableConfig> configs;
    for (const auto& [key, value] : change.added) configs.push_back({key, kSet, value});
    for (const std::string& key : change.deleted) configs.push_back({key, kDelete, ""});
    std::array<IncrementalAlterConfigsRequest::AlterConfigsResource, 1> resources;
    resources[0].resource_type = static_cast<std::int8_t>(entity.type);
    resources[0].resource_name = name;
    resources[0].configs = configs;
    IncrementalAlterConfigsRequest request;
    request.resources = resources;
    const bool is_of_broker =
        entity.type == ResourceType::broker || entity.type == ResourceType::broker_logger;
    const auto target = is_of_broker && !name.empty() && !session.to_controllers()
                            ? target_of(entity, name)
                            : session.decider();
    CO_TRY(const auto answer,
           co_await session.ask<protocol::IncrementalAlterConfigsResponse>(target, request));
    for (const auto& response : answer->responses) {
        if (response.error_code != 0) {
            co_return std::unexpected(
                answered_error(response.error_code, response.error_message.value_or("")));
        }
    }
    print(name.empty()
              ? fmt::format("Completed updating default config for {} in the cluster.\n",
                            entity.type_name)
              : fmt::format("Completed updating config for {} {}.\n", singular(entity), name));
    co_return ok();
}

}  // namespace milena::cli

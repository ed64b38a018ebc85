// SPDX-License-Identifier: Apache-2.0
// DescribeConfigs, asked and copied.
#include "cluster/config_entries.h"

#include "milena/protocol/messages/describe_configs.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::DescribeConfigsRequest;
using protocol::DescribeConfigsResponse;

std::optional<std::string> text(const protocol::NullableString& from) {
    if (!from) return std::nullopt;
    return std::string(*from);
}

ConfigEntry entry_of(const DescribeConfigsResponse::DescribeConfigsResourceResult& result) {
    ConfigEntry entry{std::string(result.name),
                      text(result.value),
                      static_cast<ConfigSource>(result.config_source),
                      result.is_sensitive,
                      result.read_only,
                      {}};
    for (const auto& synonym : result.synonyms) {
        entry.synonyms.push_back({std::string(synonym.name), text(synonym.value),
                                  static_cast<ConfigSource>(synonym.source)});
    }
    return entry;
}

}  // namespace

std::string_view source_name(ConfigSource source) {
    switch (source) {
        case ConfigSource::dynamic_topic: return "DYNAMIC_TOPIC_CONFIG";
        case ConfigSource::dynamic_broker: return "DYNAMIC_BROKER_CONFIG";
        case ConfigSource::dynamic_default_broker: return "DYNAMIC_DEFAULT_BROKER_CONFIG";
        case ConfigSource::static_broker: return "STATIC_BROKER_CONFIG";
        case ConfigSource::defaults: return "DEFAULT_CONFIG";
        case ConfigSource::dynamic_broker_logger: return "DYNAMIC_BROKER_LOGGER_CONFIG";
        case ConfigSource::dynamic_client_metrics: return "DYNAMIC_CLIENT_METRICS_CONFIG";
        case ConfigSource::dynamic_group: return "DYNAMIC_GROUP_CONFIG";
        case ConfigSource::unknown: break;
    }
    return "UNKNOWN";
}

env::Task<Result<std::vector<ResourceConfigs>>> describe_configs(
    Session& session, wire::Target target, ResourceType type,
    const std::vector<std::string>& names) {
    std::vector<ResourceConfigs> resources;
    if (names.empty()) co_return resources;
    DescribeConfigsRequest request;
    std::vector<DescribeConfigsRequest::DescribeConfigsResource> wanted(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        wanted[i].resource_type = static_cast<std::int8_t>(type);
        wanted[i].resource_name = names[i];
        wanted[i].configuration_keys = std::nullopt;  // all
    }
    request.resources = wanted;
    request.include_synonyms = true;
    CO_TRY(const auto answer, co_await session.ask<DescribeConfigsResponse>(target, request));
    for (const std::string& name : names) {
        for (const auto& result : answer->results) {
            if (result.resource_name != name) continue;
            if (result.error_code != 0) {
                co_return std::unexpected(
                    answered_error(result.error_code, result.error_message.value_or("")));
            }
            auto& resource = resources.emplace_back(name);
            for (const auto& entry : result.configs) resource.entries.push_back(entry_of(entry));
        }
    }
    co_return resources;
}

}  // namespace milena::cli

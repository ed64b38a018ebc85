// SPDX-License-Identifier: Apache-2.0
// Configs as DescribeConfigs tells them.
#pragma once

#include <optional>

#include "cluster/session.h"

namespace milena::cli {

/// The kinds of things that have configs, as the wire numbers them.
enum class ResourceType : std::int8_t {
    topic = 2,
    broker = 4,
    broker_logger = 8,
    client_metrics = 16,
    group = 32,
};

/// Where a value comes from, as the wire numbers it.
enum class ConfigSource : std::int8_t {
    unknown = 0,
    dynamic_topic = 1,
    dynamic_broker = 2,
    dynamic_default_broker = 3,
    static_broker = 4,
    defaults = 5,
    dynamic_broker_logger = 6,
    dynamic_client_metrics = 7,
    dynamic_group = 8,
};

/// "DYNAMIC_TOPIC_CONFIG".
std::string_view source_name(ConfigSource source);

struct ConfigSynonym {
    std::string name;
    std::optional<std::string> value;
    ConfigSource source = ConfigSource::unknown;
};

struct ConfigEntry {
    std::string name;
    std::optional<std::string> value;
    ConfigSource source = ConfigSource::unknown;
    bool is_sensitive = false;
    bool is_read_only = false;
    std::vector<ConfigSynonym> synonyms;
};

struct ResourceConfigs {
    std::string name;
    std::vector<ConfigEntry> entries;  ///< as they came
};

/// The configs of resources of one type, in the order of `names`.
env::Task<Result<std::vector<ResourceConfigs>>> describe_configs(
    Session& session, wire::Target target, ResourceType type,
    const std::vector<std::string>& names);

}  // namespace milena::cli

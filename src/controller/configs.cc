// SPDX-License-Identifier: Apache-2.0
// Layers of a topic's configuration, from its own values down to the defaults of the keys.
#include "configs.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/config/keys.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {

using metadata::Configs;
using metadata::ResourceType;

static constexpr std::string_view kMinInsyncReplicas = "min.insync.replicas";
static constexpr std::string_view kUncleanElection = "unclean.leader.election.enable";
/// Told only of topics that set it.
static constexpr std::string_view kRemoteStorage = "remote.storage.enable";
static constexpr std::string_view kInternalPrefix = "internal.";

static bool is_true(std::string_view text) {
    const auto value = config::parse_value(config::ValueType::boolean, {}, text);
    return value && std::get<bool>(*value);
}

Result<config::ConfigMap> check_topic_configs(
    const View& view,
    const std::vector<std::pair<std::string, std::optional<std::string>>>& configs) {
    config::ConfigMap own;
    for (const auto& [name, value] : configs) {
        if (!config::find_topic_key(name)) {
            return fail(ErrorCode::invalid_config,
                        fmt::format("Unknown topic config name: {}", name));
        }
        if (!value) {
            return fail(ErrorCode::invalid_config,
                        fmt::format("Null value not supported for topic configs: {}", name));
        }
        own.insert_or_assign(name, *value);
    }
    TRY_VOID(check_topic_config(view, own));
    return own;
}

Result<void> check_topic_config(const View& view, const config::ConfigMap& own) {
    const auto cluster_wide = view.image.configs->find(ResourceType::broker, "");
    const config::TopicConfig defaults =
        view.options.settings
            ? config::topic_defaults(view.options.settings->with(*cluster_wide, {}))
            : view.options.topic_defaults;
    TRY_VOID(defaults.with(own));
    if (const auto remote = own.find(kRemoteStorage);
        remote != own.end() && is_true(remote->second)) {
        return fail(ErrorCode::invalid_config,
                    "Tiered Storage functionality is disabled in the broker. Topic cannot be "
                    "configured with remote log storage.");
    }
    return ok();
}

static std::string in_topic_unit(std::string_view text, config::Unit unit) {
    if (unit == config::Unit::same) return std::string(text);
    const auto number = config::parse_value(config::ValueType::int64, {}, text);
    INVARIANT(number.has_value(), "a setting that its own row does not allow");
    return fmt::to_string(std::get<std::int64_t>(*number) * static_cast<std::int64_t>(unit));
}

static TopicConfigEntry effective(const View& view, const config::TopicKey& key,
                                  const config::ConfigMap& own, const Configs& cluster_wide) {
    TopicConfigEntry entry{.name = std::string(key.name)};
    if (const auto at = own.find(key.name); at != own.end()) {
        entry.value = at->second;
        entry.source = ConfigSource::topic;
        return entry;
    }
    for (const config::Synonym& synonym : key.synonyms) {
        if (const auto at = cluster_wide.find(synonym.broker_key); at != cluster_wide.end()) {
            entry.value = in_topic_unit(at->second, synonym.unit);
            entry.source = ConfigSource::dynamic_default_broker;
            return entry;
        }
    }
    for (const config::Synonym& synonym : key.synonyms) {
        const auto text =
            view.options.settings ? view.options.settings->text(synonym.broker_key) : std::nullopt;
        if (!text) continue;
        entry.value = in_topic_unit(*text, synonym.unit);
        entry.source = ConfigSource::static_broker;
        return entry;
    }
    if (key.default_text) entry.value = std::string(*key.default_text);
    return entry;
}

std::vector<TopicConfigEntry> effective_configs(const View& view, const config::ConfigMap& own) {
    const auto cluster_wide = view.image.configs->find(ResourceType::broker, "");
    std::vector<TopicConfigEntry> entries;
    for (const config::TopicKey& key : config::topic_keys()) {
        if (key.name.starts_with(kInternalPrefix) && !own.contains(key.name)) continue;
        entries.push_back(effective(view, key, own, *cluster_wide));
    }
    std::ranges::sort(entries, {}, &TopicConfigEntry::name);
    return entries;
}

/// What a topic, or for all topics this node or the cluster, sets dynamically; nothing if none
/// does, or not in a way that its row allows (an older controller may have let it pass).
static std::optional<config::Value> dynamic_value(const View& view, std::string_view topic,
                                                  std::string_view name) {
    const config::TopicKey* const key = config::find_topic_key(name);
    INVARIANT(key != nullptr, "no such topic key");
    const auto own = view.image.configs->find(ResourceType::topic, topic);
    const auto node =
        view.image.configs->find(ResourceType::broker, fmt::to_string(view.options.node.value));
    const auto cluster_wide = view.image.configs->find(ResourceType::broker, "");
    for (const Configs* const configs : {own.get(), node.get(), cluster_wide.get()}) {
        const auto at = configs->find(name);
        if (at == configs->end()) continue;
        if (auto value = config::parse_value(key->type, key->allowed, at->second)) return *value;
    }
    return std::nullopt;
}

static RecordValue min_insync_record(std::string_view broker,
                                     std::optional<std::string_view> value) {
    protocol::ConfigRecord record;
    record.resource_type = static_cast<std::int8_t>(ResourceType::broker);
    record.resource_name = broker;
    record.name = kMinInsyncReplicas;
    record.value = std::nullopt;
    if (value) record.value = *value;
    return metadata::encode_record(record);
}

Records common_min_insync_replicas(const Options& options, const metadata::Image& image) {
    Records records;
    const metadata::ConfigResource first{ResourceType::broker, ""};
    const auto& all = image.configs->by_resource;
    if (!image.configs->find(ResourceType::broker, "")->contains(kMinInsyncReplicas)) {
        records.push_back(min_insync_record(
            "", std::string_view(fmt::to_string(options.topic_defaults.min_insync_replicas))));
    }
    for (auto at = all.lower_bound(first); at != all.end(); ++at) {
        const auto& [resource, configs] = *at;
        if (resource.type != ResourceType::broker) break;
        if (!resource.name.empty() && configs->contains(kMinInsyncReplicas))
            records.push_back(min_insync_record(resource.name, std::nullopt));
    }
    return records;
}

std::int32_t min_insync_replicas(const View& view, std::string_view topic) {
    const auto value = dynamic_value(view, topic, kMinInsyncReplicas);
    return value ? static_cast<std::int32_t>(std::get<std::int64_t>(*value))
                 : view.options.topic_defaults.min_insync_replicas;
}

bool unclean_election_enabled(const View& view, std::string_view topic) {
    const auto value = dynamic_value(view, topic, kUncleanElection);
    return value ? std::get<bool>(*value)
                 : view.options.topic_defaults.unclean_leader_election_enable;
}

}  // namespace milena::controller

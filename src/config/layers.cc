// SPDX-License-Identifier: Apache-2.0
// Values from all layers put side by side, in the order and with the omissions of Kafka's
// DescribeConfigs.
#include "milena/config/layers.h"

#include <algorithm>

#include "contains.h"
#include "key_table.h"
#include "milena/base/invariant.h"
#include "milena/config/resource_keys.h"
#include "topic_fields.h"

namespace milena::config {
namespace {

/// Keys that Kafka hides where nobody has set them.
constexpr std::string_view kInternalKeys[] = {
    "controller.performance.always.log.threshold.ms",
    "controller.performance.sample.period.ms",
    "group.consumer.assignor.offload.enable",
    "group.consumer.regex.refresh.interval.ms",
    "group.share.assignor.offload.enable",
    "group.share.dlq.manager.class.name",
    "group.share.initialize.retry.interval.ms",
    "group.share.persister.class.name",
    "group.streams.acceptable.recovery.lag",
    "group.streams.assignor.offload.enable",
    "group.streams.max.warmup.replicas",
    "group.streams.min.task.offset.interval.ms",
    "group.streams.num.warmup.replicas",
    "group.streams.task.offset.interval.ms",
    "internal.metadata.delete.delay.millis",
    "internal.metadata.log.segment.bytes",
    "internal.metadata.max.batch.size.in.bytes",
    "internal.segment.bytes",
    "log.initial.task.delay.ms",
    "producer.id.expiration.check.interval.ms",
    "remote.log.index.file.cache.ttl.ms",
    "remote.log.manager.task.retry.backoff.max.ms",
    "remote.log.manager.task.retry.backoff.ms",
    "remote.log.manager.task.retry.jitter",
    "server.max.startup.time.ms",
    "share.coordinator.cold.partition.snapshot.interval.ms",
    "share.coordinator.state.topic.prune.interval.ms",
    "unclean.leader.election.interval.ms",
    "unstable.api.versions.enable",
    "unstable.feature.versions.enable",
};

/// Keys of which the first that is set counts, from the most to the least exact.
constexpr std::string_view kRetention[] = {"log.retention.ms", "log.retention.minutes",
                                           "log.retention.hours"};
constexpr std::string_view kRoll[] = {"log.roll.ms", "log.roll.hours"};
constexpr std::string_view kRollJitter[] = {"log.roll.jitter.ms", "log.roll.jitter.hours"};
constexpr std::string_view kFlush[] = {"log.flush.interval.ms", "log.flush.scheduler.interval.ms"};

std::vector<std::string_view> names_of(std::string_view key) {
    for (const std::span<const std::string_view> family :
         {std::span<const std::string_view>(kRetention), std::span<const std::string_view>(kRoll),
          std::span<const std::string_view>(kRollJitter)}) {
        if (contains(family, key)) return {family.begin(), family.end()};
    }
    if (key == kFlush[0]) return {std::begin(kFlush), std::end(kFlush)};
    const auto base = base_name(key);
    if (base != key) return {key, base};
    return {key};
}

const Key* find_key(std::string_view name) {
    const std::string_view base = base_name(name);
    const Key* const key = find_broker_key(base);
    return key != nullptr ? key : find_dynamic_only_key(base);
}

/// Unknown keys may be anything, a password too.
bool is_sensitive(const Key* key) {
    return key == nullptr || key->type == ValueType::password;
}

std::optional<std::string> canonical(std::string_view name, ValueType type, std::string_view text) {
    const auto value = parse_client_value(name, type, {}, text);
    return value ? value_text(*value) : std::string(text);
}

/// As the file has it: node.id stands for broker.id too, and the other way round.
std::optional<std::string_view> static_text(const Settings& file, std::string_view name) {
    if (find_broker_key(name) == nullptr) {
        const auto at = file.unknown().find(name);
        if (at == file.unknown().end()) return std::nullopt;
        return at->second;
    }
    if (const auto text = file.text(name)) return text;
    if (name == "node.id") return file.text("broker.id");
    if (name == "broker.id") return file.text("node.id");
    return std::nullopt;
}

std::optional<std::string> default_text(std::string_view name) {
    const Key* const key = find_broker_key(name);
    if (key == nullptr || !key->default_text) return std::nullopt;
    return canonical(name, key->type, *key->default_text);
}

/// What all layers have for `name` and for those it is another word of. What comes before the
/// first that has the name itself is not told, as in Kafka.
std::vector<LayerValue> layer_values(std::string_view name, const Layers& layers) {
    std::vector<LayerValue> out;
    const auto names = names_of(name);
    const auto add = [&](std::string_view one, std::optional<std::string> value,
                         ConfigSource source) {
        if (!value) return;
        if (is_sensitive(find_key(one))) value.reset();
        out.push_back({std::string(one), std::move(value), source});
    };
    const auto add_from = [&](const ConfigMap& map, ConfigSource source) {
        for (const auto one : names) {
            if (const auto at = map.find(one); at != map.end()) add(one, at->second, source);
        }
    };
    add_from(layers.broker, ConfigSource::dynamic_broker);
    add_from(layers.cluster_wide, ConfigSource::dynamic_default_broker);
    for (const auto one : names) {
        if (const auto text = static_text(layers.file, one))
            add(one, std::string(*text), ConfigSource::static_broker);
    }
    for (const auto one : names) add(one, default_text(one), ConfigSource::fallback);
    const auto first = std::ranges::find(out, name, &LayerValue::name);
    out.erase(out.begin(), first);
    return out;
}

DescribedConfig describe_key(std::string_view name, const Layers& layers,
                             const Settings& settings) {
    DescribedConfig out{.name = std::string(name)};
    const Key* const key = find_key(name);
    out.is_sensitive = is_sensitive(key);
    out.is_read_only =
        base_name(name) != name || key == nullptr || key->update == Update::read_only;
    if (key != nullptr) {
        out.type = key->type;
        out.doc = key->doc;
    }
    out.synonyms = layer_values(name, layers);
    if (!out.synonyms.empty()) out.source = out.synonyms.front().source;
    if (out.is_sensitive) return out;
    if (find_broker_key(name) != nullptr && name != "node.id" && name != "broker.id") {
        out.value = value_text(settings.value(name));
    } else if (!out.synonyms.empty() && out.synonyms.front().value) {
        out.value = canonical(name, key->type, *out.synonyms.front().value);
    }
    return out;
}

/// A topic's key has the values of the first of its broker keys, and its default under that name.
std::vector<LayerValue> topic_layers(const TopicKey& key, const Layers& layers) {
    if (key.synonyms.empty()) return {};
    return layer_values(key.synonyms.front().broker_key, layers);
}

Value default_value(const TopicKey& key, const Settings& settings) {
    for (const Synonym& synonym : key.synonyms) {
        if (!settings.is_set(synonym.broker_key)) continue;
        return in_unit(settings.value(synonym.broker_key), synonym.unit);
    }
    if (!key.default_text) return {};
    const auto value = parse_value(key.type, key.allowed, *key.default_text);
    INVARIANT(value.has_value(), "a key whose default it does not allow");
    return *value;
}

/// A key's own value over what the layers below have.
void put_own(DescribedConfig& out, std::string_view text, ConfigSource source) {
    out.value = canonical(out.name, *out.type, text);
    out.synonyms.insert(out.synonyms.begin(), {out.name, out.value, source});
}

DescribedConfig describe_resource_key(const ResourceKey& key, const ConfigMap& own,
                                      ConfigSource source) {
    DescribedConfig out{.name = std::string(key.name), .type = key.type, .doc = key.doc};
    if (key.default_text) out.value = std::string(*key.default_text);
    if (const auto at = own.find(key.name); at != own.end()) put_own(out, at->second, source);
    if (!out.synonyms.empty()) out.source = out.synonyms.front().source;
    return out;
}

DescribedConfig describe_group_key(const ResourceKey& key, const ConfigMap& own,
                                   const Layers& layers, const Settings& settings) {
    DescribedConfig out{.name = std::string(key.name), .type = key.type, .doc = key.doc};
    if (!key.broker_key.empty()) {
        out.synonyms = layer_values(key.broker_key, layers);
        const Value& value = settings.value(key.broker_key);
        const auto* const items = std::get_if<std::vector<std::string>>(&value);
        out.value = key.type == ValueType::string && items != nullptr && !items->empty()
                        ? items->front()
                        : value_text(value);
    } else {
        out.value = std::string(*key.default_text);
        out.synonyms = {{out.name, out.value, ConfigSource::fallback}};
    }
    if (const auto at = own.find(key.name); at != own.end())
        put_own(out, at->second, ConfigSource::group);
    if (!out.synonyms.empty()) out.source = out.synonyms.front().source;
    return out;
}

}  // namespace

std::string_view base_name(std::string_view name) {
    constexpr std::string_view kPrefix = "listener.name.";
    // Of keys of one mechanism: listener.name.NAME.MECHANISM.KEY.
    constexpr std::string_view kJaas = "sasl.jaas.config";
    if (!name.starts_with(kPrefix)) return name;
    const auto dot = name.find('.', kPrefix.size());
    if (dot == std::string_view::npos) return name;
    const auto base = name.substr(dot + 1);
    return base.ends_with(kJaas) ? kJaas : base;
}

std::vector<DescribedConfig> describe_broker(const Layers& layers) {
    const Settings settings = layers.settings();
    std::vector<std::string_view> names;
    for (const Key* const key : broker_keys()) {
        const bool is_hidden = contains(kInternalKeys, key->name) && !settings.is_set(key->name);
        if (!is_hidden) names.push_back(key->name);
    }
    for (const ConfigMap* const map :
         {&layers.file.unknown(), &layers.cluster_wide, &layers.broker}) {
        for (const auto& [name, text] : *map) {
            if (find_broker_key(name) == nullptr) names.emplace_back(name);
        }
    }
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
    std::vector<DescribedConfig> out;
    for (const auto name : names) out.push_back(describe_key(name, layers, settings));
    return out;
}

std::vector<DescribedConfig> describe_cluster_wide(const Layers& layers) {
    const ConfigMap none;
    const Settings settings = layers.file.with(layers.cluster_wide, none);
    std::vector<DescribedConfig> out;
    for (const auto& [name, text] : layers.cluster_wide) {
        auto described = describe_key(name, {layers.file, layers.cluster_wide, none}, settings);
        std::erase_if(described.synonyms, [](const LayerValue& value) {
            return value.source != ConfigSource::dynamic_default_broker;
        });
        out.push_back(std::move(described));
    }
    return out;
}

std::vector<DescribedConfig> describe_topic(const ConfigMap& own, const Layers& layers) {
    const Settings settings = layers.settings();
    std::vector<DescribedConfig> out;
    for (const TopicKey& key : topic_keys()) {
        const auto at = own.find(key.name);
        if (at == own.end() && contains(kInternalKeys, key.name)) continue;
        DescribedConfig one{.name = std::string(key.name), .type = key.type, .doc = key.doc};
        one.synonyms = topic_layers(key, layers);
        if (at != own.end()) {
            put_own(one, at->second, ConfigSource::topic);
        } else {
            one.value = value_text(default_value(key, settings));
        }
        if (!one.synonyms.empty()) one.source = one.synonyms.front().source;
        out.push_back(std::move(one));
    }
    std::ranges::sort(out, {}, &DescribedConfig::name);
    return out;
}

std::vector<DescribedConfig> describe_group(const ConfigMap& own, const Layers& layers) {
    const Settings settings = layers.settings();
    std::vector<DescribedConfig> out;
    for (const ResourceKey& key : group_keys()) {
        if (key.is_internal && !own.contains(key.name)) continue;
        out.push_back(describe_group_key(key, own, layers, settings));
    }
    return out;
}

std::vector<DescribedConfig> describe_client_metrics(const ConfigMap& own) {
    std::vector<DescribedConfig> out;
    for (const ResourceKey& key : client_metrics_keys())
        out.push_back(describe_resource_key(key, own, ConfigSource::client_metrics));
    return out;
}

}  // namespace milena::config

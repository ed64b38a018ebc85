// SPDX-License-Identifier: Apache-2.0
// One resource after the other, each by itself: a refused one takes no other with it. The words of
// a refusal are Kafka's.
#include "config_changes.h"

#include <charconv>

#include <fmt/format.h>

#include "configs.h"
#include "milena/config/resource_keys.h"
#include "milena/controller/topic_names.h"
#include "milena/metadata/records.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

using config::ConfigMap;
using metadata::ConfigResource;
using metadata::ResourceType;

constexpr std::string_view kMinInsyncReplicas = "min.insync.replicas";

/// The default of a key that is a list of broker or topic keys; nothing if it is no such key.
std::optional<std::string_view> default_of_list(ResourceType type, std::string_view name) {
    if (type == ResourceType::topic) {
        const auto* const key = config::find_topic_key(name);
        if (key == nullptr || key->type != config::ValueType::list) return std::nullopt;
        return key->default_text.value_or("");
    }
    if (type != ResourceType::broker) return std::nullopt;
    const auto* const key = config::find_broker_key(name);
    if (key == nullptr || key->type != config::ValueType::list) return std::nullopt;
    return key->default_text.value_or("");
}

std::vector<std::string> parts(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        if (comma > 0) out.emplace_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return out;
}

/// `before` with the elements of `value` put behind it, or taken out.
std::string changed_list(std::string_view before, const ConfigChange& change) {
    auto items = parts(before);
    if (change.operation == ConfigOperation::append) {
        // An empty value is an empty element, which the check of the whole refuses.
        const auto more = change.value.empty() ? std::vector<std::string>{""} : parts(change.value);
        for (const auto& item : more) {
            if (!contains(items, item)) items.push_back(item);
        }
    } else {
        const auto gone = parts(change.value);
        std::erase_if(items, [&](const std::string& item) { return contains(gone, item); });
    }
    return fmt::format("{}", fmt::join(items, ","));
}

Result<void> change_list(ResourceType type, const ConfigChange& change, ConfigMap& all) {
    const auto fallback = default_of_list(type, change.key);
    if (!fallback) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("Can't {} to key {} because its type is not LIST.",
                                change.operation == ConfigOperation::append ? "APPEND" : "SUBTRACT",
                                change.key));
    }
    const auto at = all.find(change.key);
    const std::string before = at == all.end() ? std::string(*fallback) : at->second;
    all.insert_or_assign(change.key, changed_list(before, change));
    return ok();
}

Result<ConfigMap> changed(const ResourceAlteration& alteration, const ConfigMap& before) {
    ConfigMap all = alteration.replaces_all ? ConfigMap() : before;
    for (const ConfigChange& change : alteration.changes) {
        switch (change.operation) {
            case ConfigOperation::set: all.insert_or_assign(change.key, change.value); break;
            case ConfigOperation::remove: all.erase(change.key); break;
            case ConfigOperation::append:
            case ConfigOperation::subtract:
                TRY_VOID(change_list(alteration.resource.type, change, all));
                break;
        }
    }
    return all;
}

/// What was appended may have made a value longer than a record can hold.
Result<void> check_lengths(const ConfigMap& all) {
    for (const auto& [key, value] : all) {
        if (value.size() <= protocol::kStringBytesMax) continue;
        return fail(
            ErrorCode::invalid_config,
            fmt::format("The value of {} would be longer than the {} bytes that it may have.", key,
                        protocol::kStringBytesMax));
    }
    return ok();
}

Result<void> check_topic(const View& view, const std::string& name, const ConfigMap& all) {
    if (name.empty()) {
        return fail(ErrorCode::invalid_request, "Default topic resources are not allowed.");
    }
    TRY_VOID(check_topic_name(name));
    TRY_VOID(check_topic_config(view, all));
    if (view.image.topics->find(name) != nullptr) return ok();
    return fail(ErrorCode::unknown_topic_or_partition,
                fmt::format("The topic '{}' does not exist.", name));
}

/// While replicas may be eligible (KIP-966) the cluster must agree on the minimum: it is set for
/// all brokers at once, and always.
Result<void> check_min_insync_replicas(const View& view, const std::string& name,
                                       const ConfigMap& before, const ConfigMap& all) {
    const auto value = [](const ConfigMap& map) {
        const auto at = map.find(kMinInsyncReplicas);
        return at == map.end() ? std::nullopt : std::optional(at->second);
    };
    if (!view.has_eligible_replicas()) return ok();
    if (!name.empty() && value(all)) {
        return fail(ErrorCode::invalid_config,
                    "Broker-level min.insync.replicas cannot be altered while ELR is enabled.");
    }
    if (name.empty() && value(before) && !value(all)) {
        return fail(ErrorCode::invalid_config,
                    "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.");
    }
    return ok();
}

Result<void> check_broker(const View& view, const std::string& name, const ConfigMap& before,
                          const ConfigMap& all) {
    std::int32_t id = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (!name.empty() && (error != std::errc() || end != name.data() + name.size())) {
        return fail(ErrorCode::invalid_request, "Unable to parse broker name as a base 10 number.");
    }
    if (id < 0) return fail(ErrorCode::invalid_request, "Invalid negative broker ID.");
    return check_min_insync_replicas(view, name, before, all);
}

Result<void> check(const View& view, const ConfigResource& resource, const ConfigMap& before,
                   const ConfigMap& all) {
    const std::string& name = resource.name;
    switch (resource.type) {
        case ResourceType::topic: return check_topic(view, name, all);
        case ResourceType::broker: return check_broker(view, name, before, all);
        case ResourceType::client_metrics:
            if (name.empty())
                return fail(ErrorCode::invalid_request, "Subscription name can't be empty");
            return config::check_client_metrics_config(all);
        case ResourceType::group: {
            if (name.empty()) {
                return fail(ErrorCode::invalid_request, "Default group resources are not allowed.");
            }
            const auto cluster_wide = view.image.configs->find(ResourceType::broker, "");
            const auto file =
                view.options.settings ? *view.options.settings : config::Settings::defaults();
            return config::check_group_config(all, file.with(*cluster_wide, {}));
        }
        case ResourceType::broker_logger: break;
    }
    return fail(ErrorCode::invalid_request,
                fmt::format("Unknown resource type {}", static_cast<int>(resource.type)));
}

metadata::RecordValue config_record(const ConfigResource& resource, std::string_view key,
                                    std::optional<std::string_view> value) {
    protocol::ConfigRecord record;
    record.resource_type = static_cast<std::int8_t>(resource.type);
    record.resource_name = resource.name;
    record.name = key;
    record.value = std::nullopt;
    if (value) record.value = *value;
    return metadata::encode_record(record);
}

/// A broker is told a value again too: what it is the name of (a certificate's file) may have
/// changed.
Records records_of(const View& view, const ResourceAlteration& alteration, const ConfigMap& before,
                   const ConfigMap& all) {
    const ConfigResource& resource = alteration.resource;
    const auto is_named = [&](std::string_view key) {
        return std::ranges::find(alteration.changes, key, &ConfigChange::key) !=
               alteration.changes.end();
    };
    Records records;
    bool is_min_changed = false;
    for (const auto& [key, value] : all) {
        const auto at = before.find(key);
        const bool is_same = at != before.end() && at->second == value;
        const bool is_told = resource.type == ResourceType::broker && is_named(key);
        if (is_same && !is_told) continue;
        records.push_back(config_record(resource, key, value));
        is_min_changed |= key == kMinInsyncReplicas;
    }
    for (const auto& [key, value] : before) {
        if (all.contains(key)) continue;
        records.push_back(config_record(resource, key, std::nullopt));
        is_min_changed |= key == kMinInsyncReplicas;
    }
    const bool is_topic = resource.type == ResourceType::topic;
    const bool is_cluster = resource.type == ResourceType::broker && resource.name.empty();
    if (is_min_changed && view.has_eligible_replicas() && (is_topic || is_cluster)) {
        // Who was eligible under another minimum may lack records under this one.
        protocol::ClearElrRecord record;
        if (is_topic) record.topic_name = resource.name;
        records.push_back(metadata::encode_record(record));
    }
    return records;
}

Result<Records> alter(const View& view, const ResourceAlteration& alteration) {
    const ConfigResource& resource = alteration.resource;
    const auto before = view.image.configs->find(resource.type, resource.name);
    TRY(const auto all, changed(alteration, *before));
    TRY_VOID(check_lengths(all));
    TRY_VOID(check(view, resource, *before, all));
    return records_of(view, alteration, *before, all);
}

Decision<std::vector<AlteredResource>> refuse_all(const AlterConfigsRequest& request) {
    const AlteredResource refused{ErrorCode::policy_violation, std::string(kTooManyRecords)};
    return {{}, std::vector(request.resources.size(), refused)};
}

}  // namespace

Decision<std::vector<AlteredResource>> alter_configs(const View& view,
                                                     const AlterConfigsRequest& request) {
    Decision<std::vector<AlteredResource>> decision;
    for (const ResourceAlteration& alteration : request.resources) {
        auto records = alter(view, alteration);
        if (!records) {
            decision.reply.push_back({records.error().code, records.error().why});
            continue;
        }
        decision.reply.push_back({});
        append(decision.records, *std::move(records));
        if (decision.records.size() > kRecordsMax) return refuse_all(request);
    }
    if (request.validate_only) decision.records.clear();
    return decision;
}

}  // namespace milena::controller

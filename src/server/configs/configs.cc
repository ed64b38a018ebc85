// SPDX-License-Identifier: Apache-2.0
// Changes of configuration on their way to the controller. The checks and their order are those of
// Kafka's brokers.
#include "configs.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace milena::server {
namespace {

using config::ConfigMap;
using controller::AlteredResource;
using controller::ConfigOperation;
using metadata::ConfigResource;
using metadata::ResourceType;

std::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::invalid_request, std::move(why));
}

bool is_operation(std::int8_t operation) {
    return operation >= static_cast<std::int8_t>(ConfigOperation::set) &&
           operation <= static_cast<std::int8_t>(ConfigOperation::subtract);
}

Result<void> check_changes(const AskedAlteration& asked) {
    std::vector<std::string_view> keys;
    std::vector<std::string_view> nulls;
    for (const AskedChange& change : asked.changes) {
        // Kafka answers so, without a word.
        if (!is_operation(change.operation)) return fail(ErrorCode::unknown_server_error, {});
        keys.push_back(change.key);
        const bool is_removal =
            change.operation == static_cast<std::int8_t>(ConfigOperation::remove);
        if (!change.value && !is_removal) nulls.push_back(change.key);
    }
    std::ranges::sort(keys);
    if (std::ranges::adjacent_find(keys) != keys.end()) {
        return refused("Error due to duplicate config keys");
    }
    if (!nulls.empty()) {
        return refused(fmt::format("Null value not supported for : {}", fmt::join(nulls, ", ")));
    }
    return ok();
}

bool is_list(std::string_view name) {
    const auto* const key = config::find_broker_key(name);
    return key != nullptr && key->type == config::ValueType::list;
}

/// The dynamic values of a broker, or of the cluster, as the change would leave them; appended and
/// subtracted elements are the controller's work, their keys are looked at here.
Result<ConfigMap> broker_values(const AskedAlteration& asked, bool replaces_all,
                                const ConfigMap& before) {
    ConfigMap all = replaces_all ? ConfigMap() : before;
    for (const AskedChange& change : asked.changes) {
        switch (static_cast<ConfigOperation>(change.operation)) {
            case ConfigOperation::set: all.insert_or_assign(change.key, *change.value); break;
            case ConfigOperation::remove: all.erase(change.key); break;
            default: {
                const bool is_append =
                    static_cast<ConfigOperation>(change.operation) == ConfigOperation::append;
                const bool is_known = config::find_broker_key(change.key) != nullptr ||
                                      config::find_dynamic_only_key(change.key) != nullptr;
                if (!is_list(change.key)) {
                    return fail(ErrorCode::invalid_config,
                                is_known
                                    ? fmt::format("Config value {} is not allowed for config "
                                                  "key: {}",
                                                  is_append ? "append" : "subtract", change.key)
                                    : fmt::format("Unknown config name: {}", change.key));
                }
                if (is_append) all.insert_or_assign(change.key, *change.value);
            }
        }
    }
    return all;
}

Result<void> check_broker(const Request& request, const AskedAlteration& asked, bool replaces_all) {
    const std::string& name = asked.resource.name;
    if (!name.empty())
        TRY_VOID(check_is_this_node(request, "Node", "broker id, expected {}, but", name));
    const auto image = request.broker().image.load();
    const BrokerLayers layers(request.broker(), *image);
    const ConfigMap& before = name.empty() ? layers.view().cluster_wide : layers.view().broker;
    TRY(const ConfigMap after, broker_values(asked, replaces_all, before));
    return config::check_dynamic_config(after, !name.empty(), layers.view());
}

Result<void> check_level(const AskedChange& change) {
    constexpr std::string_view kLevels[] = {"DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN"};
    const auto operation = static_cast<ConfigOperation>(change.operation);
    if (operation == ConfigOperation::append || operation == ConfigOperation::subtract) {
        return refused(fmt::format("{} operation is not allowed for the BROKER_LOGGER resource",
                                   operation == ConfigOperation::append ? "APPEND" : "SUBTRACT"));
    }
    if (change.key != kRootLogger) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("Logger {} does not exist!", change.key));
    }
    if (operation == ConfigOperation::remove) {
        return refused("Removing the log level of the root logger is not allowed");
    }
    if (std::ranges::find(kLevels, *change.value) == std::end(kLevels)) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("Cannot set the log level of {} to {} as it is not a supported "
                                "log level. Valid log levels are {}",
                                change.key, *change.value, fmt::join(kLevels, ", ")));
    }
    if (*change.value == kRootLevel) return ok();
    return fail(
        ErrorCode::invalid_config,
        fmt::format("The log level of {} is {} and can't be changed", kRootLogger, kRootLevel));
}

Result<void> check_logger(const Request& request, const AskedAlteration& asked) {
    TRY_VOID(check_is_this_node(request, "Node", "node id. Expected {}, but", asked.resource.name));
    for (const AskedChange& change : asked.changes) TRY_VOID(check_level(change));
    return ok();
}

/// All that this broker judges itself.
Result<void> check(const Request& request, const AskedAlteration& asked, bool replaces_all) {
    const ConfigResource& resource = asked.resource;
    TRY_VOID(check_changes(asked));
    switch (resource.type) {
        case ResourceType::broker:
            // Only the broker itself knows what its dynamic values would do to it.
            if (!is_at_controller(request)) TRY_VOID(check_broker(request, asked, replaces_all));
            break;
        case ResourceType::broker_logger:
            if (replaces_all) return refused("Unknown resource type 8");
            TRY_VOID(check_logger(request, asked));
            break;
        case ResourceType::topic:
        case ResourceType::client_metrics:
        case ResourceType::group: break;
        default:
            return refused(
                fmt::format("Unknown resource type {}", static_cast<int>(resource.type)));
    }
    if (const auto error = config_refusal(request, security::Operation::alter_configs,
                                          resource.type, resource.name)) {
        return std::unexpected(*error);
    }
    return ok();
}

controller::ResourceAlteration alteration(AskedAlteration& asked, bool replaces_all) {
    controller::ResourceAlteration out;
    out.resource = std::move(asked.resource);
    out.replaces_all = replaces_all;
    for (AskedChange& change : asked.changes) {
        out.changes.push_back({std::move(change.key),
                               static_cast<ConfigOperation>(change.operation),
                               std::move(change.value).value_or("")});
    }
    return out;
}

}  // namespace

BrokerLayers::BrokerLayers(const Broker& broker, const metadata::Image& image)
    : file_(*broker.config.settings),
      cluster_wide_(image.configs->find(ResourceType::broker, "")),
      broker_(
          image.configs->find(ResourceType::broker, fmt::to_string(broker.config.node_id.value))) {}

std::optional<Error> config_refusal(const Request& request, security::Operation operation,
                                    ResourceType type, std::string_view name) {
    const auto may = [&](security::ResourceType what, std::string_view which) {
        return request.session.may(operation, what, which);
    };
    if (type == ResourceType::topic) {
        if (may(security::ResourceType::topic, name)) return std::nullopt;
        return Error{ErrorCode::topic_authorization_failed, "Topic authorization failed."};
    }
    if (type == ResourceType::group) {
        if (may(security::ResourceType::group, name)) return std::nullopt;
        return Error{ErrorCode::group_authorization_failed, "Group authorization failed."};
    }
    if (may(security::ResourceType::cluster, security::kClusterResource)) return std::nullopt;
    return Error{ErrorCode::cluster_authorization_failed, "Cluster authorization failed."};
}

Result<void> check_is_this_node(const Request& request, std::string_view what,
                                std::string_view expected, std::string_view name) {
    std::int32_t id = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (name.empty() || error != std::errc() || end != name.data() + name.size()) {
        return refused(fmt::format("{} id must be an integer, but it is: {}", what, name));
    }
    const std::int32_t self = request.broker().config.node_id.value;
    if (id == self) return ok();
    return refused(
        fmt::format("Unexpected {} received {}", fmt::format(fmt::runtime(expected), self), id));
}

JudgedAlterations judge_alterations(const Request& request, AlterationsAsked asked) {
    JudgedAlterations judged;
    judged.answers.resize(asked.resources.size());
    judged.rest.validate_only = asked.validate_only;
    std::map<ConfigResource, int> times;
    for (const AskedAlteration& one : asked.resources) ++times[one.resource];

    for (std::size_t i = 0; i < asked.resources.size(); ++i) {
        AskedAlteration& one = asked.resources[i];
        const Result<void> checked = times[one.resource] > 1
                                         ? refused("Each resource must appear at most once.")
                                         : check(request, one, asked.replaces_all);
        if (!checked) {
            judged.answers[i] = {checked.error().code, checked.error().why};
        } else if (one.resource.type != ResourceType::broker_logger) {
            judged.places.push_back(i);
            judged.rest.resources.push_back(alteration(one, asked.replaces_all));
        }
    }
    return judged;
}

env::Task<void> alter_here(Request& request, JudgedAlterations& judged) {
    const env::Instant deadline = request.deadline(kAlterationTimeMs);
    const auto reply = co_await ask_controller(request, [&](controller::Gateway& controller) {
        return controller.alter_configs(std::move(judged.rest), deadline);
    });
    for (std::size_t i = 0; i < judged.places.size(); ++i) {
        judged.answers[judged.places[i]] =
            reply ? (*reply)[i] : AlteredResource{reply.error().code, reply.error().why};
    }
    if (reply) co_await show_change(request, deadline);
}

}  // namespace milena::server

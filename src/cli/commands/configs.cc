// SPDX-License-Identifier: Apache-2.0
// milena configs, kafka-configs.sh: describes and alters the configs of topics, brokers, broker
// loggers, groups and client metrics. Quotas and credentials of users, clients and addresses are
// not done here yet.
#include <charconv>

#include <fmt/ranges.h>

#include "cluster/config_changes.h"
#include "cluster/connect_options.h"
#include "command_files.h"
#include "console.h"
#include "milena/config/properties.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::size_t kFileBytesMax = 1U << 20;

/// The kinds of entities, and the options that say a type and a name in one.
struct EntityKind {
    std::string_view type_name;
    std::string_view option;          ///< --topic NAME
    std::string_view default_option;  ///< --broker-defaults
    std::optional<ResourceType> type;
};

constexpr auto kKinds = std::to_array<EntityKind>({
    {"broker-loggers", "broker-logger", "", ResourceType::broker_logger},
    {"topics", "topic", "", ResourceType::topic},
    {"clients", "client", "client-defaults", {}},
    {"users", "user", "user-defaults", {}},
    {"brokers", "broker", "broker-defaults", ResourceType::broker},
    {"ips", "ip", "ip-defaults", {}},
    {"client-metrics", "client-metrics", "", ResourceType::client_metrics},
    {"groups", "group", "", ResourceType::group},
});

struct Options {
    Parser parser{"configs",
                  "This tool helps to manipulate and describe entity config for a topic, client, "
                  "user, broker, ip, client-metrics or group"};
    const AdminOptions cluster{parser, AdminOptions::To::brokers_or_controllers};
    const Option& alter = parser.flag("alter", "Alter the configuration for the entity.");
    const Option& describe = parser.flag("describe", "List configs for the given entity.");
    const Option& all = parser.flag("all", "List all configs, and not only those that were set.");
    const Option& entity_type = parser.option(
        "entity-type", "topics, brokers, broker-loggers, client-metrics or groups.", Takes::many);
    const Option& entity_name = parser.option("entity-name", "Name of the entity.", Takes::many);
    const Option& entity_default = parser.flag("entity-default", "The default of all brokers.");
    const Option& add_config =
        parser.option("add-config", "name=value,name=[value,value] of the configs to add.");
    const Option& add_config_file =
        parser.option("add-config-file", "A properties file with the configs to add.");
    const Option& delete_config =
        parser.option("delete-config", "Names of the configs to delete.", Takes::many);
    std::vector<const Option*> named;     ///< of kKinds, in its order
    std::vector<const Option*> defaults;  ///< of kKinds; null where there is none

    Options() {
        for (const EntityKind& kind : kKinds) {
            named.push_back(&parser.option(std::string(kind.option),
                                           fmt::format("One of the {}.", kind.type_name)));
            defaults.push_back(kind.default_option.empty()
                                   ? nullptr
                                   : &parser.flag(std::string(kind.default_option),
                                                  fmt::format("All {}.", kind.type_name)));
        }
    }
};

/// Types and names, however they were given.
struct Entities {
    std::vector<std::string> types;
    std::vector<std::string> names;
};

Entities entities_of(const Options& options) {
    Entities entities{options.entity_type.values, options.entity_name.values};
    if (options.entity_default) entities.names.emplace_back();
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (*options.named[i]) {
            entities.types.emplace_back(kKinds[i].type_name);
            entities.names.emplace_back(options.named[i]->text());
        }
        if (options.defaults[i] != nullptr && *options.defaults[i]) {
            entities.types.emplace_back(kKinds[i].type_name);
            entities.names.emplace_back();
        }
    }
    return entities;
}

Result<void> check_types(const std::vector<std::string>& types) {
    std::vector<std::string_view> known;
    for (const EntityKind& kind : kKinds) known.push_back(kind.type_name);
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (std::ranges::find(known, types[i]) == known.end()) {
            return refuse(
                fmt::format("Invalid entity type {}, the entity type must be one of {} with a "
                            "--bootstrap-server or --bootstrap-controller argument",
                            types[i], fmt::join(known, ", ")));
        }
        if (std::ranges::count(types, types[i]) > 1)
            return refuse(fmt::format("Duplicate entity type(s) specified: {}", types[i]));
    }
    if (types.empty()) return refuse("At least one entity type must be specified");
    if (types.size() > 1)
        return refuse("Only 'users' and 'clients' entity types may be specified together");
    return ok();
}

Result<ConfigEntity> parse_entity(const Options& options) {
    const Entities given = entities_of(options);
    if (!options.cluster.brokers && !options.cluster.has_controllers())
        return refuse("Either --bootstrap-server or --bootstrap-controller must be specified.");
    if (!options.cluster.says_one())
        return refuse("Only one of --bootstrap-server or --bootstrap-controller can be specified");
    TRY_VOID(check_types(given.types));
    const auto kind = std::ranges::find(kKinds, given.types[0], &EntityKind::type_name);
    if (!kind->type)
        return refuse(
            fmt::format("The configs of {} are not supported by this tool yet", kind->type_name));
    ConfigEntity entity;
    entity.type = *kind->type;
    entity.type_name = kind->type_name;
    if (!given.names.empty()) entity.name = given.names[0];
    const bool is_of_broker =
        entity.type == ResourceType::broker || entity.type == ResourceType::broker_logger;
    if (is_of_broker && entity.name && !entity.name->empty() &&
        entity.name->find_first_not_of("0123456789") != std::string::npos) {
        return refuse(
            fmt::format("The entity name for {} must be a valid integer broker id, but it is: {}",
                        entity.type_name, *entity.name));
    }
    const bool has_name = entity.name && !entity.name->empty();
    if (options.describe && entity.type == ResourceType::broker_logger && !has_name)
        return refuse("An entity name must be specified with --describe of broker-loggers");
    if (!options.alter || has_name) return entity;
    if (entity.type == ResourceType::broker && entity.name) return entity;
    return refuse(
        entity.type == ResourceType::broker
            ? "An entity-name or default entity must be specified with --alter of users, "
              "clients, brokers or ips"
            : fmt::format("An entity name must be specified with --alter of {}", entity.type_name));
}

Result<ConfigChange> parse_change(const Options& options) {
    ConfigChange change;
    if (options.add_config && options.add_config_file)
        return refuse("Only one of --add-config or --add-config-file must be specified");
    if (!options.add_config && !options.add_config_file && !options.delete_config) {
        return refuse(
            "At least one of --add-config, --add-config-file, or --delete-config must be "
            "specified with --alter");
    }
    TRY(change.added, parse_added_configs(options.add_config.text()));
    if (options.add_config_file) {
        const std::string path(options.add_config_file.text());
        const auto env = env::make_real_env(1);
        TRY(const std::string text, env::read_file(env->files(), path, kFileBytesMax));
        TRY(const auto properties, config::Properties::parse(path, text));
        for (const auto& [key, value, line] : properties.entries) change.added[key] = value;
    }
    for (std::string_view keys : options.delete_config.values) {
        while (!keys.empty()) {
            const std::size_t comma = std::min(keys.find(','), keys.size());
            change.deleted.emplace_back(keys.substr(0, comma));
            keys.remove_prefix(std::min(comma + 1, keys.size()));
        }
    }
    return change;
}

Result<void> act(const Options& options) {
    TRY(const auto entity, parse_entity(options));
    if (options.describe) {
        return in_session(options.cluster.connect(), [&](Session& session) {
            return print_configs(session, entity, options.all.is_given);
        });
    }
    TRY(const auto change, parse_change(options));
    return in_session(options.cluster.connect(),
                      [&](Session& session) { return alter_configs(session, entity, change); });
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (options.alter.is_given == options.describe.is_given) {
        return options.parser.wrong_usage(
            "Command must include exactly one action: --describe, --alter");
    }
    const auto done = act(options);
    if (done) return kExitOk;
    if (done.error().code == ErrorCode::none) {
        print_error(done.error().why + "\n");
        return kExitFailed;
    }
    const std::string text = exception_text(done.error());
    print_error(
        fmt::format("Error while executing config command with args '{}'\n"
                    "java.util.concurrent.ExecutionException: {}\nCaused by: {}\n",
                    fmt::join(arguments, " "), text, text));
    return kExitFailed;
}

}  // namespace

Command command_configs() {
    return {.about = "Describe and alter configs", .run = run};
}

}  // namespace milena::cli

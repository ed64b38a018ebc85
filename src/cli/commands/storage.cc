// SPDX-License-Identifier: Apache-2.0
// milena storage, as kafka-storage: formats a node's directories, tells what is in them, makes ids,
// and tells which levels of features belong together. recover-quorum is of Milena's own.
#include <charconv>

#include <fmt/format.h>

#include "console.h"
#include "milena/config/broker_config.h"
#include "milena/metadata/features.h"
#include "milena/metadata/records.h"
#include "milena/metadata/releases.h"
#include "milena/node/format.h"
#include "milena/protocol/records/metadata.h"
#include "milena/storage/log_directory.h"
#include "parser.h"
#include "storage/feature_dependencies.h"
#include "storage/node_config.h"
#include "storage/recover_quorum.h"
#include "storage/scram_user.h"
#include "text/initial_controllers.h"

namespace milena::cli {
namespace {

using metadata::kMetadataVersion;

constexpr std::string_view kUsage =
    "usage: kafka-storage [-h] {info,format,version-mapping,feature-dependencies,random-uuid} "
    "...\n";

int failed(std::string_view why) {
    print_error(fmt::format("{}\n", why));
    return kExitFailed;
}

struct Level {
    std::string feature;
    std::int16_t level = 0;
};

Result<Level> parse_level(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
        return fail(
            ErrorCode::invalid_request,
            fmt::format("Can't parse feature=level string {}: equals sign not found.", text));
    }
    Level out{std::string(text.substr(0, equals)), 0};
    const auto number = text.substr(equals + 1);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), out.level);
    if (error != std::errc() || end != number.data() + number.size()) {
        return fail(ErrorCode::invalid_request,
                    fmt::format("Can't parse feature=level string {}: unable to parse {} as a "
                                "short.",
                                text, number));
    }
    return out;
}

Result<std::int16_t> parse_release(std::string_view name) {
    if (const auto level = metadata::find_metadata_version(name)) return *level;
    return fail(ErrorCode::invalid_request,
                fmt::format("Unknown metadata.version '{}'. Supported metadata.version are: {}",
                            name, fmt::join(metadata::metadata_version_names(), ", ")));
}

struct FormatOptions {
    explicit FormatOptions(Parser& parser)
        : config(parser.option("config,c", "The server.properties of the node.")),
          cluster_id(parser.option("cluster-id,t",
                                   "The id of the cluster, the same on every "
                                   "node.")),
          scram(parser.option("add-scram,S", "A user: SCRAM-SHA-256=[name=alice,password=…].",
                              Takes::many)),
          ignore(parser.flag("ignore-formatted,g", "Leave formatted directories as they are.")),
          release(parser.option("release-version,r", "The metadata.version to begin with.")),
          feature(parser.option("feature,f", "A feature=level to begin with.", Takes::many)),
          standalone(parser.flag("standalone,s", "This controller alone is the first voter.")),
          none(parser.flag("no-initial-controllers,N", "The voters are other nodes.")),
          initial(parser.option("initial-controllers,I",
                                "The first voters: id@host:port:directory-id, with commas.")) {
        parser.required(config);
        parser.required(cluster_id);
    }
    const Option& config;
    const Option& cluster_id;
    const Option& scram;
    const Option& ignore;
    const Option& release;
    const Option& feature;
    const Option& standalone;
    const Option& none;
    const Option& initial;
};

Result<node::FormatRequest> format_request(const FormatOptions& options,
                                           const config::BrokerConfig& config) {
    node::FormatRequest request;
    request.cluster_id = std::string(options.cluster_id.text());
    request.is_standalone = options.standalone.is_given;
    request.has_no_initial_controllers = options.none.is_given;
    request.ignores_formatted = options.ignore.is_given;
    if (request.cluster_id.empty()) {
        return fail(ErrorCode::invalid_request, "Cluster ID string must not be empty");
    }
    if (options.initial) {
        TRY(request.initial_controllers,
            parse_initial_controllers(options.initial.text(), config.controller_listeners.front()));
    }
    for (const auto& text : options.feature.values) {
        TRY(auto level, parse_level(text));
        request.levels.insert_or_assign(std::move(level.feature), level.level);
    }
    if (options.release) {
        TRY(const std::int16_t release, parse_release(options.release.text()));
        if (request.levels.contains(kMetadataVersion)) {
            return fail(ErrorCode::invalid_request,
                        "Use --release-version instead of --feature metadata.version=X to avoid "
                        "ambiguity.");
        }
        request.levels.emplace(kMetadataVersion, release);
    }
    return request;
}

using Users = std::vector<ScramUser>;

Result<Users> parse_users(const FormatOptions& options, env::Random& random) {
    Users users;
    for (const auto& text : options.scram.values) {
        TRY(auto user, parse_scram_user(text, random));
        users.push_back(std::move(user));
    }
    return users;
}

metadata::RecordValue record_of(const ScramUser& user) {
    protocol::UserScramCredentialRecord record;
    record.name = user.name;
    record.mechanism = static_cast<std::int8_t>(user.mechanism);
    record.salt = BytesView(user.salt);
    record.stored_key = BytesView(user.keys.stored_key);
    record.server_key = BytesView(user.keys.server_key);
    record.iterations = user.iterations;
    return metadata::encode_record(record);
}

/// As Java prints bytes: with signs.
std::string byte_list(const std::vector<std::byte>& bytes) {
    std::string text;
    for (const std::byte one : bytes)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", static_cast<std::int8_t>(one));
    return "[" + text + "]";
}

std::string bootstrap_text(const node::FormatPlan& plan, const Users& users) {
    std::string records;
    const auto add = [&](std::string_view name, std::int16_t level) {
        records += fmt::format(
            "{}ApiMessageAndVersion(FeatureLevelRecord(name='{}', featureLevel={}) at version 0)",
            records.empty() ? "" : ", ", name, level);
    };
    const std::int16_t version = plan.levels.find(kMetadataVersion)->second;
    add(kMetadataVersion, version);
    for (const auto& [name, level] : plan.levels) {
        if (name != kMetadataVersion && name != metadata::kKraftVersion && level > 0)
            add(name, level);
    }
    for (const ScramUser& user : users) {
        records += fmt::format(
            ", ApiMessageAndVersion(UserScramCredentialRecord(name='{}', mechanism={}, salt={}, "
            "storedKey={}, serverKey={}, iterations={}) at version 0)",
            user.name, static_cast<int>(user.mechanism), byte_list(user.salt),
            byte_list(user.keys.stored_key), byte_list(user.keys.server_key), user.iterations);
    }
    return fmt::format(
        "Bootstrap metadata: BootstrapMetadata(records=[{}], metadataVersionLevel={}, "
        "source=format command)\n",
        records, version);
}

std::string_view kind_name(node::FormatStep::Kind kind) {
    switch (kind) {
        case node::FormatStep::Kind::data: return "data";
        case node::FormatStep::Kind::metadata: return "metadata";
        case node::FormatStep::Kind::dynamic: return "dynamic metadata";
        case node::FormatStep::Kind::dynamic_voter: return "dynamic metadata voter";
    }
    return "";
}

Result<void> format(env::Env& env, const FormatOptions& options) {
    TRY(const auto config, load_node_config(env, options.config));
    TRY(auto request, format_request(options, config));
    TRY(const Users users, parse_users(options, env.random()));
    for (const ScramUser& user : users) request.credentials.push_back(record_of(user));
    TRY(const auto plan, node::plan_format(env, config, request));
    if (plan.steps.empty()) {
        print("All of the log directories are already formatted.\n");
        return ok();
    }
    print(bootstrap_text(plan, users));
    const std::int16_t version = plan.levels.find(kMetadataVersion)->second;
    for (const auto& step : plan.steps) {
        print(fmt::format("Formatting {} directory {} with metadata.version {}.\n",
                          kind_name(step.kind), step.path,
                          metadata::metadata_version_name(version)));
    }
    return node::run_format(env, Logger(make_console_sink(), LogLevel::error), config, request,
                            plan);
}

int run_format(const Arguments& arguments) {
    Parser parser("storage format", "Formats the directories of a node.", Library::argparse4j);
    const FormatOptions options(parser);
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const Option* chosen = nullptr;
    for (const Option* option : {&options.standalone, &options.none, &options.initial}) {
        if (option->is_given && chosen != nullptr) {
            return parser.wrong_usage(fmt::format("argument {}: not allowed with argument {}",
                                                  option->flags(), chosen->flags()));
        }
        if (option->is_given) chosen = option;
    }
    const auto env = env::make_real_env(1);
    const auto done = format(*env, options);
    return done ? kExitOk : failed(done.error().why);
}

std::string meta_text(const storage::MetaProperties& meta) {
    return fmt::format("Found metadata: {{cluster.id={}, directory.id={}, node.id={}, version=1}}",
                       meta.cluster_id, meta.directory_id, meta.node_id);
}

struct Found {
    std::vector<std::string> directories;
    std::vector<std::string> problems;
    std::optional<storage::MetaProperties> meta;
};

Result<Found> find(env::Env& env, const config::BrokerConfig& config) {
    auto paths = config.log_dirs;
    if (std::ranges::find(paths, config.metadata_log_dir) == paths.end())
        paths.push_back(config.metadata_log_dir);
    std::ranges::sort(paths);
    Found found;
    for (const auto& path : paths) {
        if (!env.files().exists(path)) {
            found.problems.push_back(fmt::format("{} does not exist", path));
            continue;
        }
        found.directories.push_back(path);
        TRY(const auto meta, storage::read_meta(env.files(), path));
        if (!meta) {
            found.problems.push_back(fmt::format("{} is not formatted.", path));
        } else if (!found.meta) {
            found.meta = meta;
        } else if (found.meta->cluster_id != meta->cluster_id) {
            found.problems.push_back(fmt::format("{} has cluster.id {}, another directory has {}",
                                                 path, meta->cluster_id, found.meta->cluster_id));
        } else if (found.meta->node_id != meta->node_id) {
            found.problems.push_back(fmt::format("{} has node.id {}, another directory has {}",
                                                 path, meta->node_id, found.meta->node_id));
        }
    }
    return found;
}

void print_list(std::string_view one, std::string_view many,
                const std::vector<std::string>& items) {
    if (items.empty()) return;
    print(fmt::format("{}:\n  {}\n\n", items.size() == 1 ? one : many, fmt::join(items, "\n  ")));
}

int run_info(const Arguments& arguments) {
    Parser parser("storage info", "Tells what is in the directories of a node.",
                  Library::argparse4j);
    const auto& file =
        parser.required(parser.option("config,c", "The server.properties of the node."));
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const auto env = env::make_real_env(1);
    const auto config = load_node_config(*env, file);
    if (!config) return failed(config.error().why);
    const auto found = find(*env, *config);
    if (!found) return failed(found.error().why);
    print_list("Found log directory", "Found log directories", found->directories);
    if (found->meta) print(fmt::format("{}\n\n", meta_text(*found->meta)));
    print_list("Found problem", "Found problems", found->problems);
    return found->problems.empty() ? kExitOk : kExitFailed;
}

int run_version_mapping(const Arguments& arguments) {
    Parser parser("storage version-mapping", "Tells the levels of features of a release.",
                  Library::argparse4j);
    const auto& release =
        parser.option("release-version,r", "The release; without it the newest one.");
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const auto text = version_mapping_text(release.text());
    if (!text) return failed(text.error().why);
    print(*text);
    return kExitOk;
}

int run_feature_dependencies(const Arguments& arguments) {
    Parser parser("storage feature-dependencies", "Tells what levels of features need.",
                  Library::argparse4j);
    const auto& feature =
        parser.required(parser.option("feature,f", "A feature=level.", Takes::many));
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    for (const auto& text : feature.values) {
        const auto line = feature_dependencies_text(text);
        if (!line) return failed(line.error().why);
        print(*line);
    }
    return kExitOk;
}

int run_random_uuid(const Arguments& arguments) {
    Parser parser("storage random-uuid", "Makes an id.", Library::argparse4j);
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const auto env = env::make_real_env(1);
    print(fmt::format("{}\n", env::random_uuid(env->random())));
    return kExitOk;
}

int run(const Arguments& arguments) {
    constexpr std::pair<std::string_view, int (*)(const Arguments&)> kActions[] = {
        {"info", run_info},
        {"format", run_format},
        {"version-mapping", run_version_mapping},
        {"feature-dependencies", run_feature_dependencies},
        {"random-uuid", run_random_uuid},
        {"recover-quorum", run_recover_quorum}};
    if (arguments.empty()) {
        print_error(kUsage);
        print_error("kafka-storage: error: too few arguments\n");
        return kExitFailed;
    }
    if (arguments.front() == "-h" || arguments.front() == "--help") {
        print(kUsage);
        return kExitOk;
    }
    for (const auto& [name, action] : kActions) {
        if (name == arguments.front()) return action({arguments.begin() + 1, arguments.end()});
    }
    print_error(kUsage);
    print_error(
        fmt::format("kafka-storage: error: invalid choice: '{}' (choose from 'info', "
                    "'format', 'version-mapping', 'feature-dependencies', 'random-uuid')\n",
                    arguments.front()));
    return kExitFailed;
}

}  // namespace

Command command_storage() {
    return {.about = "Format a node's directories, and tell what is in them", .run = run};
}

}  // namespace milena::cli

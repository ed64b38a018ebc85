// SPDX-License-Identifier: Apache-2.0
// What kafka-storage format would do, in its words, and the doing. It tells of the metadata's
// directory first and formats it last: once it is formatted the node has a cluster.
#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "format.h"
#include "milena/metadata/features.h"
#include "milena/metadata/releases.h"
#include "milena/node/format.h"

namespace milena::node {
namespace {

using metadata::kKraftVersion;
using metadata::kMetadataVersion;
using storage::MetaProperties;
using Levels = decltype(FormatPlan::levels);

constexpr std::int16_t kFirstVersionWithScram = 11;

std::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::invalid_config, std::move(why));
}

/// Whether the voters stand in the log. --no-initial-controllers says nothing to who has them in
/// his configuration.
bool is_dynamic(const config::BrokerConfig& config, const FormatRequest& request) {
    return request.is_standalone || !request.initial_controllers.empty() ||
           (request.has_no_initial_controllers && config.quorum.voters.empty());
}

Result<void> check_voters(const config::BrokerConfig& config, const FormatRequest& request) {
    const bool has_static_voters = !config.quorum.voters.empty();
    const bool begins_quorum = request.is_standalone || !request.initial_controllers.empty();
    if (has_static_voters && begins_quorum) {
        return refused(
            "You cannot specify controller.quorum.voters and format the node with "
            "--initial-controllers or --standalone. If you want to use dynamic quorum, please "
            "remove controller.quorum.voters and specify controller.quorum.bootstrap.servers "
            "instead.");
    }
    if (request.is_standalone && !config.is_controller) {
        return refused("You can only use --standalone on a controller.");
    }
    if (!has_static_voters && config.is_controller && !is_dynamic(config, request)) {
        return refused(
            "Because controller.quorum.voters is not set on this controller, you must specify one "
            "of the following: --standalone, --initial-controllers, or --no-initial-controllers.");
    }
    return ok();
}

/// A quorum whose voters are not configuration keeps them in its log.
Result<std::int16_t> decide_kraft_version(const config::BrokerConfig& config,
                                          const FormatRequest& request) {
    const bool is_dynamic_quorum = is_dynamic(config, request);
    const std::int16_t fitting = is_dynamic_quorum ? 1 : 0;
    const auto own = request.levels.find(kKraftVersion);
    if (own == request.levels.end() || own->second == fitting) return fitting;
    if (is_dynamic_quorum) {
        return refused(fmt::format(
            "Cannot set {} to {} if controller.quorum.voters is empty and one of the flags "
            "--standalone, --initial-controllers, or --no-initial-controllers is used. For dynamic "
            "controllers support, try removing the --feature flag for {}.",
            kKraftVersion, own->second, kKraftVersion));
    }
    return refused(fmt::format(
        "Cannot set {} to {} unless controller.quorum.voters is empty and one of the flags "
        "--standalone, --initial-controllers, or --no-initial-controllers is used. For dynamic "
        "controllers support, try using one of --standalone, --initial-controllers, or "
        "--no-initial-controllers and removing controller.quorum.voters.",
        kKraftVersion, own->second));
}

Result<void> check_names(const FormatRequest& request) {
    std::vector<std::string_view> names;
    for (const auto& feature : metadata::supported_features()) names.push_back(feature.name);
    for (const auto& [name, level] : request.levels) {
        if (std::ranges::find(names, std::string_view(name)) != names.end()) continue;
        std::erase(names, kMetadataVersion);
        return refused(fmt::format("Unsupported feature: {}. Supported features are: {}", name,
                                   fmt::join(names, ", ")));
    }
    return ok();
}

Result<Levels> decide_levels(const config::BrokerConfig& config, const FormatRequest& request) {
    TRY_VOID(check_names(request));
    const auto chosen = request.levels.find(kMetadataVersion);
    const metadata::SupportedFeature* version = nullptr;
    for (const auto& feature : metadata::supported_features()) {
        if (feature.name == kMetadataVersion) version = &feature;
    }
    const std::int16_t metadata_version =
        chosen == request.levels.end() ? version->initial : chosen->second;
    Levels levels;
    for (const auto& feature : metadata::supported_features()) {
        const auto own = request.levels.find(feature.name);
        const std::int16_t level = own == request.levels.end()
                                       ? metadata::initial_level(feature.name, metadata_version)
                                       : own->second;
        const std::int16_t lowest = feature.name == kMetadataVersion ? feature.range.min : 0;
        if (feature.name == kMetadataVersion && (level < lowest || level > feature.range.max)) {
            return refused(
                fmt::format("No MetadataVersion with feature level {}. Valid feature "
                            "levels are from {} to {}.",
                            level, lowest, feature.range.max));
        }
        if (level < lowest || level > feature.range.max) {
            return refused(fmt::format("No feature:{} with feature level {}", feature.name, level));
        }
        const auto needed = metadata::needed_metadata_version(feature.name, level);
        if (metadata_version < needed) {
            return refused(
                fmt::format("{} could not be set to {} because it depends on {} level {}",
                            feature.name, level, kMetadataVersion, needed));
        }
        levels.emplace(feature.name, level);
    }
    TRY(levels[std::string(kKraftVersion)], decide_kraft_version(config, request));
    return levels;
}

std::vector<std::string> paths_of(const config::BrokerConfig& config) {
    auto paths = config.log_dirs;
    std::erase(paths, config.metadata_log_dir);
    paths.insert(paths.begin(), config.metadata_log_dir);
    return paths;
}

/// That a formatted directory is this node's, of this cluster.
Result<void> check_formatted(const std::string& path, const MetaProperties& meta,
                             const config::BrokerConfig& config, const FormatRequest& request) {
    if (meta.cluster_id != request.cluster_id) {
        return refused(fmt::format(
            "Invalid cluster.id in: {}/meta.properties. Expected {}, but read {}. Format with "
            "--cluster-id {} to join its cluster, or name another directory in log.dirs",
            path, request.cluster_id, meta.cluster_id, meta.cluster_id));
    }
    if (meta.node_id != config.node_id) {
        return refused(fmt::format(
            "Invalid node.id in: {}/meta.properties. Expected {}, but read {}. Correct node.id, or "
            "name another directory in log.dirs",
            path, config.node_id, meta.node_id));
    }
    return ok();
}

const raft::Voter* find_self(const config::BrokerConfig& config, const FormatRequest& request) {
    for (const auto& voter : request.initial_controllers) {
        if (voter.key.id == config.node_id) return &voter;
    }
    return nullptr;
}

FormatStep::Kind kind_of(const std::string& path, const config::BrokerConfig& config,
                         const FormatRequest& request) {
    if (path != config.metadata_log_dir) return FormatStep::Kind::data;
    if (request.is_standalone || find_self(config, request) != nullptr)
        return FormatStep::Kind::dynamic_voter;
    return request.initial_controllers.empty() ? FormatStep::Kind::metadata
                                               : FormatStep::Kind::dynamic;
}

Bootstrap bootstrap_of(const config::BrokerConfig& config, const FormatRequest& request,
                       const FormatPlan& plan, Uuid directory) {
    Bootstrap out;
    out.levels = plan.levels;
    out.levels.erase(std::string(kKraftVersion));
    out.credentials = request.credentials;
    if (request.is_standalone) {
        raft::Voter self;
        self.key = {config.node_id, directory};
        self.endpoints = controller_endpoints(config);
        out.voters = raft::VoterSet({self});
    } else if (!request.initial_controllers.empty()) {
        out.voters = raft::VoterSet(request.initial_controllers);
    } else if (is_dynamic(config, request)) {
        out.voters = raft::VoterSet();
    }
    return out;
}

}  // namespace

Result<FormatPlan> plan_format(env::Env& env, const config::BrokerConfig& config,
                               const FormatRequest& request) {
    TRY_VOID(check_voters(config, request));
    FormatPlan plan;
    TRY(plan.levels, decide_levels(config, request));
    if (!request.credentials.empty() &&
        plan.levels.find(kMetadataVersion)->second < kFirstVersionWithScram) {
        return refused(fmt::format("SCRAM is only supported in metadata.version {} or later.",
                                   metadata::metadata_version_name(kFirstVersionWithScram)));
    }
    std::optional<std::string> formatted;
    for (const auto& path : paths_of(config)) {
        TRY(const auto meta, storage::read_meta(env.files(), path));
        if (meta) {
            TRY_VOID(check_formatted(path, *meta, config, request));
            if (!formatted) formatted = path;
        } else {
            plan.steps.push_back({path, kind_of(path, config, request)});
        }
    }
    if (formatted && !request.ignores_formatted) {
        return refused(
            fmt::format("Log directory {} is already formatted. Use --ignore-formatted "
                        "to ignore this directory and format the others.",
                        *formatted));
    }
    return plan;
}

Result<void> run_format(env::Env& env, const Logger& log, const config::BrokerConfig& config,
                        const FormatRequest& request, const FormatPlan& plan) {
    for (const FormatStep& step : plan.steps | std::views::reverse) {
        TRY(const auto storage, storage::LogDirectory::open(env, log, step.path));
        TRY_VOID(check_formattable(env, *storage));
        MetaProperties meta{request.cluster_id, config.node_id, env::random_uuid(env.random())};
        const bool is_metadata = step.kind != FormatStep::Kind::data;
        if (const auto* const self = find_self(config, request); is_metadata && self != nullptr)
            meta.directory_id = self->key.directory;
        if (is_metadata && config.is_controller) {
            TRY_VOID(write_bootstrap(env, bootstrap_of(config, request, plan, meta.directory_id),
                                     step.path));
        }
        TRY_VOID(storage->write_meta(meta));
    }
    return ok();
}

}  // namespace milena::node

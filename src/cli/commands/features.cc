// SPDX-License-Identifier: Apache-2.0
// milena features, kafka-features.sh: describes and changes the feature levels of a cluster, and
// tells which levels a release begins with.
#include "cluster/connect_options.h"
#include "command_files.h"
#include "console.h"
#include "milena/protocol/messages/api_versions.h"
#include "milena/protocol/messages/update_features.h"
#include "storage/feature_dependencies.h"
#include "text/exceptions.h"
#include "text/feature_levels.h"

namespace milena::cli {
namespace {

using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;
using protocol::UpdateFeaturesRequest;
using protocol::UpdateFeaturesResponse;

constexpr std::int8_t kUpgrade = 1;
constexpr std::int8_t kSafeDowngrade = 2;
constexpr std::int8_t kUnsafeDowngrade = 3;

struct Options {
    Parser parser{"features", "This tool manages feature flags in Kafka."};
    const Option& command = parser.positional(
        "COMMAND",
        "describe, upgrade, downgrade, disable, version-mapping or feature-dependencies");
    const AdminOptions cluster{parser, AdminOptions::To::brokers_or_controllers};
    const Option& node_id = parser.option("node-id", "The node that is asked to describe.");
    const Option& feature =
        parser.option("feature", "feature=level, or just the feature to disable.", Takes::many);
    const Option& metadata = parser.option("metadata", "The older form of --release-version.");
    const Option& release = parser.option("release-version", "All features as of a release.");
    const Option& unsafe = parser.flag("unsafe", "Downgrade even if metadata may be lost.");
    const Option& dry_run = parser.flag("dry-run", "Only check whether it can be done.");
};

std::string describe_text(const ApiVersionsResponse& answer) {
    struct Range {
        std::int16_t min = 0;
        std::int16_t max = 0;
        std::int16_t finalized = 0;
    };
    std::map<std::string_view, Range> features;
    for (const auto& feature : answer.supported_features)
        features[feature.name] = {feature.min_version, feature.max_version, 0};
    for (const auto& feature : answer.finalized_features) {
        const auto known = features.find(feature.name);
        if (known != features.end()) known->second.finalized = feature.max_version_level;
    }
    std::string text;
    for (const auto& [name, range] : features) {
        text += fmt::format(
            "Feature: {:<42}SupportedMinVersion: {:<17}SupportedMaxVersion: {:<17}"
            "FinalizedVersionLevel: {:<17}Epoch: {}\n",
            name, level_text(name, range.min), level_text(name, range.max),
            level_text(name, range.finalized),
            answer.finalized_features_epoch < 0 ? "-"
                                                : std::to_string(answer.finalized_features_epoch));
    }
    return text;
}

env::Task<Result<void>> describe(Session& session, const Options& options) {
    ApiVersionsRequest request;
    request.client_software_name = "milena";
    request.client_software_version = MILENA_VERSION;
    CO_TRY(const auto id, options.parser.number(options.node_id, -1));
    const auto target = options.node_id
                            ? wire::Target::broker(BrokerId(static_cast<std::int32_t>(id)))
                            : session.decider();
    CO_TRY(const auto answer, co_await session.ask<ApiVersionsResponse>(target, request));
    print(describe_text(*answer));
    co_return ok();
}

/// What is asked for: levels, by feature.
Result<FeatureLevels> wanted_levels(const Options& options) {
    const std::string command(options.command.text());
    FeatureLevels levels;
    if (command == "disable") {
        for (const std::string& feature : options.feature.values) {
            if (!levels.emplace(feature, 0).second)
                return refuse(fmt::format("Feature {} was specified more than once.", feature));
        }
    } else {
        TRY(levels, parse_feature_levels(options.feature.values));
    }
    const Option& release = options.release ? options.release : options.metadata;
    if (release) {
        const auto level = metadata_level(release.text());
        if (!level) return refuse(fmt::format("Unknown metadata.version '{}'", release.text()));
        if (options.metadata) {
            print(" `metadata` flag is deprecated and may be removed in a future release.\n");
            levels["metadata.version"] = *level;
        } else {
            if (!levels.empty())
                return refuse("Can not specify `release-version` with other feature flags.");
            levels = release_levels(*level);
        }
    }
    if (levels.empty())
        return refuse(fmt::format("You must specify at least one feature to {}", command));
    return levels;
}

void print_outcome(const std::string& command, const FeatureLevels& levels, bool is_dry_run,
                   const std::string& failure) {
    const bool disables = command == "disable";
    const std::string done = command + (command.ends_with('e') ? "d" : "ed");
    for (const auto& [feature, level] : levels) {
        const std::string to = disables ? "" : fmt::format(" to {}", level);
        if (!failure.empty()) {
            print(fmt::format("Could not {} {}{}. {}\n", command, feature, to, failure));
        } else {
            print(fmt::format("{} {} {}{}.\n", feature, is_dry_run ? "can be" : "was", done, to));
        }
    }
}

env::Task<Result<void>> update(Session& session, const Options& options) {
    CO_TRY(const auto levels, wanted_levels(options));
    const std::string command(options.command.text());
    const std::int8_t downgrade = options.unsafe ? kUnsafeDowngrade : kSafeDowngrade;
    std::vector<UpdateFeaturesRequest::FeatureUpdateKey> updates;
    for (const auto& [feature, level] : levels) {
        auto& one = updates.emplace_back();
        one.feature = feature;
        one.max_version_level = level;
        one.upgrade_type = command == "upgrade" ? kUpgrade : downgrade;
    }
    UpdateFeaturesRequest request;
    request.feature_updates = updates;
    request.validate_only = options.dry_run.is_given;
    CO_TRY(const auto answer,
           co_await session.ask<UpdateFeaturesResponse>(session.decider(), request));
    std::string failure;
    if (answer->error_code != 0)
        failure = answered_error(answer->error_code, answer->error_message.value_or("")).why;
    print_outcome(command, levels, options.dry_run.is_given, failure);
    if (failure.empty()) co_return ok();
    co_return refuse(
        fmt::format("{} out of {} operation(s) failed.", levels.size(), levels.size()));
}

Result<void> print_dependencies(const Options& options) {
    for (const auto& feature : options.feature.values) {
        TRY(const auto text, feature_dependencies_text(feature));
        print(text);
    }
    return ok();
}

std::optional<int> check(const Options& options) {
    constexpr std::array<std::string_view, 6> kCommands{
        "describe", "upgrade", "downgrade", "disable", "version-mapping", "feature-dependencies"};
    const std::string_view command = options.command.text();
    if (std::ranges::find(kCommands, command) == kCommands.end())
        return options.parser.wrong_usage(
            fmt::format("kafka-features: error: invalid choice: '{}'", command));
    if (command == "feature-dependencies" && !options.feature)
        return options.parser.wrong_usage("kafka-features: error: argument --feature is required");
    const bool is_offline = command == "version-mapping" || command == "feature-dependencies";
    if (!is_offline && !options.cluster.says_one()) {
        return options.parser.wrong_usage(
            "kafka-features: error: one of the arguments --bootstrap-server "
            "--bootstrap-controller is required");
    }
    return std::nullopt;
}

Result<void> act(const Options& options) {
    const std::string_view command = options.command.text();
    if (command == "feature-dependencies") return print_dependencies(options);
    if (command == "version-mapping") {
        TRY(const auto text, version_mapping_text(options.release.text()));
        print(text);
        return ok();
    }
    return in_session(options.cluster.connect(), [&](Session& session) {
        return command == "describe" ? describe(session, options) : update(session, options);
    });
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = check(options)) return *exit_code;
    const auto done = act(options);
    if (done) return kExitOk;
    print_error(
        (done.error().code == ErrorCode::none ? done.error().why : exception_text(done.error())) +
        "\n");
    return kExitFailed;
}

}  // namespace

Command command_features() {
    return {.about = "Describe and change feature levels", .run = run};
}

}  // namespace milena::cli

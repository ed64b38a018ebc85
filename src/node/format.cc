// SPDX-License-Identifier: Apache-2.0
// What may be formatted without being asked, and what formatting writes.
#include "format.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/metadata/features.h"
#include "milena/metadata/records.h"
#include "milena/protocol/records/metadata.h"
#include "milena/raft/snapshot.h"

namespace milena::node {
namespace {

constexpr std::string_view kHowToFormat =
    "format it first with kafka-storage: format --cluster-id ID --config FILE, the same ID on "
    "every node";

bool is_controller_endpoint(const config::BrokerConfig& config, const env::Endpoint& endpoint) {
    const auto matches = [&](const config::Listener& listener) {
        return config.is_controller_listener(listener.name) &&
               listener.endpoint.port == endpoint.port;
    };
    return std::ranges::any_of(config.listeners, matches);
}

std::vector<metadata::RecordValue> feature_records(const Bootstrap& bootstrap) {
    std::vector<metadata::RecordValue> out;
    const auto add = [&](std::string_view name, std::int16_t level) {
        protocol::FeatureLevelRecord record;
        record.name = name;
        record.feature_level = level;
        out.push_back(metadata::encode_record(record));
    };
    // metadata.version goes first: it says how the others are to be read.
    for (const auto& [name, level] : bootstrap.levels) {
        if (name == metadata::kMetadataVersion) add(name, level);
    }
    for (const auto& [name, level] : bootstrap.levels) {
        if (name != metadata::kMetadataVersion && level > 0) add(name, level);
    }
    return out;
}

}  // namespace

Result<void> check_unambiguous(const config::BrokerConfig& config) {
    const std::string& path = config.metadata_log_dir;
    if (!config.is_controller) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("{} is empty and process.roles has no controller: which cluster "
                                "this broker belongs to "
                                "can't be known; {}",
                                path, kHowToFormat));
    }
    const auto& voters = config.quorum.voters;
    if (voters.size() > 1 || (voters.size() == 1 && voters.front().id != config.node_id)) {
        return fail(
            ErrorCode::invalid_config,
            fmt::format(
                "{} is empty and controller.quorum.voters names other nodes, which must agree on a "
                "cluster id; {}",
                path, kHowToFormat));
    }
    for (const auto& server : config.quorum.bootstrap_servers) {
        if (is_controller_endpoint(config, server)) continue;
        return fail(ErrorCode::invalid_config,
                    fmt::format("{} is empty and controller.quorum.bootstrap.servers names {}, "
                                "which is no controller "
                                "listener of this node: a cluster may exist there; {}",
                                path, server.text(), kHowToFormat));
    }
    return ok();
}

Result<void> check_formattable(env::Env& env, const storage::LogDirectory& directory) {
    TRY(const bool empty, directory.is_empty());
    if (empty) return ok();
    // A format that was cut short has left the metadata log's directory with a bootstrap snapshot
    // and nothing else.
    TRY(const auto entries, env.files().list(directory.path()));
    const std::string metadata_log = std::string(storage::kClusterMetadataTopic) + "-0";
    for (const auto& entry : entries) {
        if (entry.name == ".lock" || entry.name == "lost+found" ||
            entry.name == "meta.properties.tmp")
            continue;
        if (entry.name == metadata_log && entry.is_directory) {
            TRY(const auto inside, env.files().list(directory.path() + "/" + metadata_log));
            const auto is_snapshot = [](const env::DirectoryEntry& file) {
                return file.name.find(".checkpoint") != std::string::npos;
            };
            if (std::ranges::all_of(inside, is_snapshot)) continue;
        }
        return fail(ErrorCode::invalid_config,
                    fmt::format("{} has no meta.properties but is not empty (it holds {}): it may "
                                "be somebody's data; "
                                "name another directory in log.dirs, or empty it",
                                directory.path(), entry.name));
    }
    return ok();
}

std::vector<raft::VoterEndpoint> controller_endpoints(const config::BrokerConfig& config) {
    std::vector<raft::VoterEndpoint> out;
    const auto& listeners = config.advertised_listeners;
    for (const auto& listener : listeners) {
        if (!config.is_controller_listener(listener.name)) continue;
        out.push_back({listener.name, listener.endpoint.host, listener.endpoint.port});
    }
    // The one that replicas use among themselves comes first.
    const auto first =
        std::ranges::find(out, config.controller_listeners.front(), &raft::VoterEndpoint::listener);
    if (first != out.end()) std::rotate(out.begin(), first, first + 1);
    return out;
}

Bootstrap default_bootstrap(const config::BrokerConfig& config,
                            const storage::MetaProperties& meta) {
    Bootstrap bootstrap;
    for (const auto& feature : metadata::supported_features()) {
        if (feature.name != metadata::kKraftVersion)
            bootstrap.levels.emplace(feature.name, feature.initial);
    }
    if (config.quorum.voters.empty()) {
        raft::Voter self;
        self.key = {config.node_id, meta.directory_id};
        self.endpoints = controller_endpoints(config);
        bootstrap.voters = raft::VoterSet({self});
    }
    return bootstrap;
}

Result<void> write_bootstrap(env::Env& env, const Bootstrap& bootstrap, const std::string& path) {
    raft::BootstrapSnapshot snapshot;
    snapshot.now = env.clock().wall();
    snapshot.records = feature_records(bootstrap);
    snapshot.records.insert(snapshot.records.end(), bootstrap.credentials.begin(),
                            bootstrap.credentials.end());
    snapshot.voters = bootstrap.voters;
    return raft::write_bootstrap_snapshot(
        env.files(), path + "/" + std::string(storage::kClusterMetadataTopic) + "-0", snapshot);
}

}  // namespace milena::node

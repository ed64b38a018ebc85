// SPDX-License-Identifier: Apache-2.0
// cluster.properties is written first and decides everything else, so each later step can be made
// again after an interruption.
#include "local/layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "local/properties_text.h"
#include "milena/config/properties.h"
#include "milena/node/format.h"
#include "milena/storage/log_directory.h"
#include "text/initial_controllers.h"

namespace milena::cli {
namespace {

constexpr std::string_view kClusterFile = "cluster.properties";
constexpr std::string_view kClusterId = "cluster.id";
constexpr std::string_view kInitialControllers = "initial.controllers";
constexpr std::size_t kFileBytesMax = 1 << 20;
constexpr std::int64_t kNodesOfNew = 3;
constexpr std::int64_t kFirstPortOfNew = 9092;

/// cluster.properties.
struct Seed {
    std::string cluster_id;
    std::vector<raft::Voter> voters;
};

std::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::invalid_request, std::move(why));
}

std::string cluster_file(const std::string& directory) {
    return directory + "/" + std::string(kClusterFile);
}

std::string folder_of(const std::string& directory, const raft::Voter& voter) {
    return fmt::format("{}/node-{}", directory, voter.key.id);
}

Result<std::optional<Seed>> read_seed(env::Env& env, const std::string& directory) {
    const std::string path = cluster_file(directory);
    if (!env.files().exists(path)) return std::nullopt;
    TRY(const auto text, env::read_file(env.files(), path, kFileBytesMax));
    TRY(const auto properties, config::Properties::parse(path, text));
    Seed seed;
    for (const auto& [key, value, line] : properties.entries) {
        if (key == kClusterId) seed.cluster_id = value;
        if (key != kInitialControllers) continue;
        auto voters = parse_initial_controllers(value, "CONTROLLER");
        if (!voters) return fail_at(path, voters.error());
        seed.voters = *std::move(voters);
    }
    if (seed.cluster_id.empty() || seed.voters.empty()) {
        return refused(
            fmt::format("{}: {} or {} is missing", path, kClusterId, kInitialControllers));
    }
    return seed;
}

Result<void> write_seed(env::Env& env, const std::string& directory, const Seed& seed) {
    const std::string voters = initial_controllers_text(seed.voters);
    std::string text = fmt::format(
        "# A local cluster, made by `milena cluster start`. Each node's directory is formatted as "
        "by\n"
        "#   milena storage format -c node-1/server.properties -t {} --initial-controllers {}\n"
        "{}={}\n{}={}\n",
        seed.cluster_id, voters, kClusterId, seed.cluster_id, kInitialControllers, voters);
    return env::replace_file(env.files(), cluster_file(directory), text);
}

Result<Seed> new_seed(env::Env& env, const LocalClusterWish& wish) {
    if (wish.directory.find_first_of(",\\\n") != std::string::npos) {
        return refused(fmt::format(
            "{}: log.dirs can't name a directory with a comma or a backslash in its path",
            wish.directory));
    }
    TRY(const auto entries, env.files().list(wish.directory));
    for (const auto& entry : entries) {
        if (entry.name == ".lock" || entry.name == fmt::format("{}.tmp", kClusterFile)) continue;
        return refused(fmt::format(
            "{} holds {} and no {}: it is no local cluster. Name another directory with --dir",
            wish.directory, entry.name, kClusterFile));
    }
    const std::int64_t nodes = wish.nodes.value_or(kNodesOfNew);
    const std::int64_t first_port = wish.first_port.value_or(kFirstPortOfNew);
    if (nodes < 1 || nodes > kLocalNodesMax)
        return refused(fmt::format("{} nodes: from 1 to {} can be started", nodes, kLocalNodesMax));
    if (first_port < 1 || first_port + nodes * kPortsOfNode > 65535) {
        return refused(fmt::format("--port {}: {} nodes need the ports up to {}", first_port, nodes,
                                   first_port + nodes * kPortsOfNode - 1));
    }
    Seed seed{env::random_uuid(env.random()).text(), {}};
    for (std::int64_t index = 0; index < nodes; ++index) {
        raft::Voter voter;
        voter.key = {BrokerId(static_cast<std::int32_t>(index + 1)),
                     env::random_uuid(env.random())};
        const auto port = first_port + index * kPortsOfNode + kControllerPort;
        voter.endpoints = {{"CONTROLLER", "localhost", static_cast<std::uint16_t>(port)}};
        seed.voters.push_back(std::move(voter));
    }
    return seed;
}

/// What is there and what was asked for must be the same.
Result<void> check_wish(const Seed& seed, const LocalClusterWish& wish) {
    if (wish.nodes && *wish.nodes != static_cast<std::int64_t>(seed.voters.size())) {
        return refused(
            fmt::format("{} is a cluster of {} nodes, not of {}: leave the number out to go on "
                        "with it, or name "
                        "another directory with --dir",
                        wish.directory, seed.voters.size(), *wish.nodes));
    }
    const std::int64_t first_port =
        seed.voters.front().endpoints.front().port - std::int64_t{kControllerPort};
    if (wish.first_port && *wish.first_port != first_port) {
        return refused(fmt::format(
            "{} was made with the ports from {} on: leave --port out to go on with it, or name "
            "another directory with --dir; the ports of a node stand in its server.properties",
            wish.directory, first_port));
    }
    return ok();
}

Result<LocalNode> load_node(env::Env& env, const std::string& directory, const raft::Voter& voter) {
    LocalNode node{folder_of(directory, voter), {}};
    TRY(auto loaded, config::load_broker_config(env.files(), node.properties_path(), "localhost"));
    node.config = std::move(loaded.config);
    if (node.config.node_id == voter.key.id) return node;
    return refused(fmt::format("{}: node.id is {}, but this is the folder of node {}",
                               node.properties_path(), node.config.node_id, voter.key.id));
}

Result<void> format_node(env::Env& env, const LocalNode& node, const Seed& seed) {
    node::FormatRequest request;
    request.cluster_id = seed.cluster_id;
    request.initial_controllers = seed.voters;
    request.ignores_formatted = true;
    TRY(const auto plan, node::plan_format(env, node.config, request));
    return node::run_format(env, Logger(), node.config, request, plan);
}

std::string address_of(const config::BrokerConfig& config, bool of_controllers) {
    for (const auto& listener : config.advertised_listeners) {
        if (config.is_controller_listener(listener.name) == of_controllers)
            return listener.endpoint.text();
    }
    return "";
}

}  // namespace

std::string LocalNode::clients() const {
    return address_of(config, false);
}

std::string LocalNode::controllers() const {
    return address_of(config, true);
}

std::string LocalNode::admin() const {
    return config.admin_listener ? config.admin_listener->text() : "";
}

std::string LocalCluster::bootstrap_servers() const {
    std::string all;
    for (const LocalNode& node : nodes) {
        if (const auto one = node.clients(); !one.empty()) all += (all.empty() ? "" : ",") + one;
    }
    return all;
}

Result<std::optional<LocalCluster>> find_local_cluster(env::Env& env,
                                                       const std::string& directory) {
    TRY(const auto seed, read_seed(env, directory));
    if (!seed) return std::nullopt;
    LocalCluster cluster{directory, seed->cluster_id, {}, false};
    for (const raft::Voter& voter : seed->voters) {
        // A start that was interrupted had not written all of them.
        if (!env.files().exists(folder_of(directory, voter) + "/server.properties")) continue;
        TRY(auto node, load_node(env, directory, voter));
        cluster.nodes.push_back(std::move(node));
    }
    return cluster;
}

Result<LocalCluster> make_local_cluster(env::Env& env, const LocalClusterWish& wish) {
    TRY(auto seed, read_seed(env, wish.directory));
    const bool is_new = !seed;
    if (is_new) {
        TRY(seed, new_seed(env, wish));
        TRY_VOID(write_seed(env, wish.directory, *seed));
    }
    TRY_VOID(check_wish(*seed, wish));
    LocalCluster cluster{wish.directory, seed->cluster_id, {}, is_new};
    for (std::size_t index = 0; index < seed->voters.size(); ++index) {
        const std::string folder = folder_of(wish.directory, seed->voters[index]);
        if (!env.files().exists(folder + "/server.properties")) {
            TRY_VOID(env::create_durable_directories(env.files(), folder));
            TRY_VOID(
                env::replace_file(env.files(), folder + "/server.properties",
                                  local_properties_text(seed->voters, index, folder + "/data")));
        }
        TRY(auto node, load_node(env, wish.directory, seed->voters[index]));
        TRY_VOID(format_node(env, node, *seed));
        cluster.nodes.push_back(std::move(node));
    }
    return cluster;
}

}  // namespace milena::cli

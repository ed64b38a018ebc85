// SPDX-License-Identifier: Apache-2.0
// Who runs is told by locks, never by a file with a number in it: the cluster's directory is locked
// by the process that watches it, each node's by the node.
#include "local/commands.h"

#include <csignal>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "console.h"
#include "local/child.h"
#include "local/probe.h"
#include "local/running.h"
#include "parser.h"

namespace milena::cli {
namespace {

constexpr std::string_view kDefaultDirectory = "milena-cluster";
constexpr std::string_view kDirectoryHelp = "The cluster's directory; without it ./milena-cluster.";
constexpr std::chrono::seconds kStopPatience{120};

int failed(std::string_view why) {
    print_error(fmt::format("{}\n", why));
    return kExitFailed;
}

std::string absolute(std::string_view directory) {
    std::error_code error;
    auto path = std::filesystem::absolute(directory, error).lexically_normal().string();
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return error ? std::string(directory) : path;
}

std::string lock_of(const std::string& directory) {
    return directory + "/.lock";
}

/// The first port that somebody else has.
Result<void> check_ports(const LocalCluster& cluster) {
    for (const LocalNode& node : cluster.nodes) {
        auto listeners = node.config.listeners;
        if (node.config.admin_listener)
            listeners.push_back({"milena.admin.listener", *node.config.admin_listener});
        for (const auto& listener : listeners) {
            const auto obstacle = bind_obstacle(listener.endpoint);
            if (!obstacle) continue;
            return fail(
                ErrorCode::invalid_config,
                fmt::format("Node {} can't have {} ({}): {}. End what listens there, {} {}",
                            node.config.node_id, listener.endpoint.text(), listener.name, *obstacle,
                            cluster.is_new ? "or name other ports with --port and another "
                                             "--dir than"
                                           : "or change the port in",
                            cluster.is_new ? cluster.directory : node.properties_path()));
        }
    }
    return ok();
}

int run_start(const Arguments& arguments) {
    Parser parser("cluster start", "Starts a cluster of processes on this machine and watches it.",
                  Library::argparse4j);
    const auto& nodes =
        parser.positional("NODES", "How many; without it those that are there, or 3.");
    const auto& directory = parser.option("dir", std::string(kDirectoryHelp));
    const auto& port = parser.option(
        "port", "The first port of a new cluster, 9092 without it; a node has ten of them.");
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    LocalClusterWish wish{absolute(directory.text_or(kDefaultDirectory)), {}, {}};
    for (const auto& [option, number] :
         {std::pair{&nodes, &wish.nodes}, std::pair{&port, &wish.first_port}}) {
        if (!*option) continue;
        const auto parsed = parser.number(*option, 0);
        if (!parsed) return parser.wrong_usage(parsed.error().why);
        *number = *parsed;
    }
    block_cluster_signals();
    const auto env = env::make_real_env(1);
    if (const auto made = env::create_durable_directories(env->files(), wish.directory); !made)
        return failed(made.error().why);
    const auto lock = env->files().lock(lock_of(wish.directory));
    if (!lock) {
        const pid_t holder = lock_holder(lock_of(wish.directory));
        return failed(holder == 0 ? lock.error().why
                                  : fmt::format("Process {} runs the cluster in {}. Stop it with: "
                                                "milena cluster stop --dir {}",
                                                holder, wish.directory, wish.directory));
    }
    auto cluster = make_local_cluster(*env, wish);
    if (!cluster) return failed(cluster.error().why);
    if (const auto free = check_ports(*cluster); !free) return failed(free.error().why);
    return RunningCluster(*std::move(cluster)).run();
}

/// Nothing, with words on standard error, if there is no cluster.
std::optional<LocalCluster> find_or_complain(env::Env& env, const std::string& directory) {
    auto cluster = find_local_cluster(env, directory);
    if (!cluster) {
        failed(cluster.error().why);
        return std::nullopt;
    }
    if (!*cluster) failed(fmt::format("There is no local cluster in {}", directory));
    return *std::move(cluster);
}

/// The processes of this cluster: who watches it, and its nodes.
std::set<pid_t> processes_of(const LocalCluster& cluster) {
    std::set<pid_t> all{lock_holder(lock_of(cluster.directory))};
    for (const LocalNode& node : cluster.nodes) all.insert(lock_holder(node.lock_path()));
    all.erase(0);
    return all;
}

int run_stop(const Arguments& arguments) {
    Parser parser("cluster stop", "Stops the cluster in a directory.", Library::argparse4j);
    const auto& directory = parser.option("dir", std::string(kDirectoryHelp));
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const auto env = env::make_real_env(1);
    const auto cluster = find_or_complain(*env, absolute(directory.text_or(kDefaultDirectory)));
    if (!cluster) return kExitFailed;
    const pid_t watcher = lock_holder(lock_of(cluster->directory));
    // The one that watches stops its nodes; what is left after it was started by hand.
    std::set<pid_t> told;
    const auto deadline = std::chrono::steady_clock::now() + kStopPatience;
    for (auto running = processes_of(*cluster); !running.empty();
         running = processes_of(*cluster)) {
        for (const pid_t process : running) {
            const bool is_its_turn = process == watcher || !running.contains(watcher);
            if (is_its_turn && told.insert(process).second) ::kill(process, SIGTERM);
        }
        if (std::chrono::steady_clock::now() > deadline) {
            return failed(fmt::format("Still running after {} s: process {}", kStopPatience.count(),
                                      fmt::join(running, ", ")));
        }
        constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 20'000'000};
        ::nanosleep(&kPause, nullptr);
    }
    print(told.empty() ? fmt::format("Nothing runs in {}\n", cluster->directory)
                       : fmt::format("The cluster in {} has stopped\n", cluster->directory));
    return kExitOk;
}

int run_status(const Arguments& arguments) {
    Parser parser("cluster status", "Tells which nodes of the cluster in a directory run.",
                  Library::argparse4j);
    const auto& directory = parser.option("dir", std::string(kDirectoryHelp));
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const auto env = env::make_real_env(1);
    const auto cluster = find_or_complain(*env, absolute(directory.text_or(kDefaultDirectory)));
    if (!cluster) return kExitFailed;
    print(fmt::format("Cluster {} in {}\n", cluster->cluster_id, cluster->directory));
    bool all_run = true;
    for (const LocalNode& node : cluster->nodes) {
        const pid_t process = lock_holder(node.lock_path());
        std::string state = "stopped";
        if (process != 0) {
            const auto& admin = node.config.admin_listener;
            const auto health = admin ? ask_health(*admin) : std::nullopt;
            state = fmt::format("{}, process {}", health.value_or("running"), process);
        }
        all_run = all_run && process != 0;
        print(fmt::format("  node {:<2} {}, clients {}\n", node.config.node_id, state,
                          node.clients()));
    }
    return all_run ? kExitOk : kExitFailed;
}

constexpr std::pair<std::string_view, int (*)(const Arguments&)> kActions[] = {
    {"start", run_start}, {"stop", run_stop}, {"status", run_status}};

}  // namespace

bool is_local_action(std::string_view action) {
    return std::ranges::find(kActions, action, [](const auto& one) { return one.first; }) !=
           std::end(kActions);
}

int run_local_action(const Arguments& arguments) {
    for (const auto& [name, action] : kActions) {
        if (name == arguments.front()) return action({arguments.begin() + 1, arguments.end()});
    }
    return kExitFailed;
}

}  // namespace milena::cli

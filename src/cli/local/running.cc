// SPDX-License-Identifier: Apache-2.0
// Signals are blocked and taken one by one with sigtimedwait, so nothing here runs in a handler.
#include "local/running.h"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "command.h"
#include "console.h"
#include "local/child.h"
#include "local/probe.h"

namespace milena::cli {
namespace {

constexpr std::size_t kTailBytes = 4096;
constexpr timespec kUntilReady{.tv_sec = 0, .tv_nsec = 50'000'000};
constexpr timespec kOnceReady{.tv_sec = 60, .tv_nsec = 0};

sigset_t cluster_signals() {
    sigset_t all;
    ::sigemptyset(&all);
    for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&all, one);
    return all;
}

/// 0 if none came in time.
int next_signal(const timespec& patience) {
    const sigset_t all = cluster_signals();
    return std::max(::sigtimedwait(&all, nullptr, &patience), 0);
}

/// Printed at once: who reads it waits for it.
void say(std::string_view text) {
    print(text);
    flush_output();
}

bool is_ready(const LocalNode& node) {
    if (node.config.admin_listener) return ask_health(*node.config.admin_listener) == "ready";
    // Without an admin port: who listens to clients serves them, or lets them wait.
    return std::ranges::all_of(node.config.listeners, [](const config::Listener& listener) {
        return is_listening(listener.endpoint);
    });
}

}  // namespace

void block_cluster_signals() {
    const sigset_t all = cluster_signals();
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
}

RunningCluster::RunningCluster(LocalCluster cluster)
    : cluster_(std::move(cluster)),
      processes_(cluster_.nodes.size()),
      began_(std::chrono::steady_clock::now()) {}

std::size_t RunningCluster::count(State state) const {
    return static_cast<std::size_t>(std::ranges::count(processes_, state, &Process::state));
}

Result<void> RunningCluster::start() {
    for (std::size_t index = 0; index < processes_.size(); ++index) {
        const LocalNode& node = cluster_.nodes[index];
        const auto spawned = spawn_server(node.properties_path(), node.log_path());
        if (!spawned) {
            for (; index < processes_.size(); ++index) processes_[index].state = State::ended;
            return std::unexpected(spawned.error());
        }
        processes_[index].id = *spawned;
    }
    return ok();
}

void RunningCluster::look_for_ready() {
    for (std::size_t index = 0; index < processes_.size(); ++index) {
        if (processes_[index].state != State::running || !is_ready(cluster_.nodes[index])) continue;
        processes_[index].state = State::ready;
        const LocalNode& node = cluster_.nodes[index];
        say(fmt::format("  node {} is ready (process {})\n", node.config.node_id,
                        processes_[index].id));
    }
    if (is_told_ || count(State::running) != 0 || count(State::ready) == 0) return;
    is_told_ = true;
    tell_ready();
}

void RunningCluster::tell_ready() const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
    std::string text =
        fmt::format("{} nodes are ready after {:.1f} s.\n\n", count(State::ready), took.count());
    for (const LocalNode& node : cluster_.nodes) {
        text += fmt::format("  node {:<2} clients {}, quorum {}{}\n          log {}\n",
                            node.config.node_id, node.clients(), node.controllers(),
                            node.admin().empty() ? "" : ", http://" + node.admin() + "/metrics",
                            node.log_path());
    }
    text += fmt::format(
        "\nBootstrap servers: {}\n"
        "Try:   milena topics --bootstrap-server {} --create --topic hello\n"
        "Stop:  Ctrl-C, or: milena cluster stop --dir {}\n",
        cluster_.bootstrap_servers(), cluster_.nodes.front().clients(), cluster_.directory);
    say(text);
}

void RunningCluster::reap_ended() {
    while (const auto ended = reap()) {
        const auto process = std::ranges::find(processes_, ended->process, &Process::id);
        if (process == processes_.end() || process->state == State::ended) continue;
        process->state = State::ended;
        const auto& node = cluster_.nodes[static_cast<std::size_t>(process - processes_.begin())];
        const bool is_clean = is_stopping_ && ended->how == "exit code 0";
        if (is_clean) {
            say(fmt::format("  node {} has stopped\n", node.config.node_id));
            continue;
        }
        has_failed_ = true;
        print_error(fmt::format("Node {} has ended: {}. The last lines of {}:\n{}",
                                node.config.node_id, ended->how, node.log_path(),
                                tail_of(node.log_path(), kTailBytes)));
        if (runs() && !is_stopping_) {
            print_error(fmt::format("The others go on. Start it again with: milena server {}\n",
                                    node.properties_path()));
        }
    }
}

void RunningCluster::send_all(int signal) const {
    for (const Process& process : processes_) {
        if (process.id > 0 && process.state != State::ended) ::kill(process.id, signal);
    }
}

void RunningCluster::stop() {
    is_stopping_ = true;
    if (!runs()) return;
    say("Stopping all nodes; Ctrl-C to kill them.\n");
    send_all(SIGTERM);
    while (runs()) {
        const int signal = next_signal(kOnceReady);
        // Terminals that close, and those who stop it from elsewhere, say so more than once.
        if (signal == SIGINT) send_all(SIGKILL);
        reap_ended();
    }
}

int RunningCluster::run() {
    say(fmt::format("{} cluster {} of {} nodes in {}\n", cluster_.is_new ? "New" : "Starting",
                    cluster_.cluster_id, cluster_.nodes.size(), cluster_.directory));
    if (const auto started = start(); !started) {
        print_error(fmt::format("{}\n", started.error().why));
        stop();
        return kExitFailed;
    }
    while (runs()) {
        const int signal = next_signal(is_told_ ? kOnceReady : kUntilReady);
        reap_ended();
        if (signal != 0 && signal != SIGCHLD) {
            has_failed_ = false;  // What has ended before was told; the stop is judged by itself.
            stop();
            return has_failed_ ? kExitFailed : kExitOk;
        }
        if (!is_told_) look_for_ready();
    }
    print_error("No node runs any more.\n");
    return kExitFailed;
}

}  // namespace milena::cli

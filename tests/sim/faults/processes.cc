// SPDX-License-Identifier: Apache-2.0
// Servers that end: killed, without power (at once, or at some call of theirs to the world), or
// stopped as an operator stops them. Or that stand still for a while.
#include "sim/faults/fault.h"

namespace milena::sim {
namespace {

/// A clean stop may take that long.
constexpr env::Duration kStopLimit = std::chrono::seconds(60);
/// A start makes some hundred calls.
constexpr std::uint64_t kCallsMax = 1000;

}  // namespace

void start_servers(Stage& stage) {
    for (const auto& server : stage.servers) server->start();
}

void kill_servers(Stage& stage) {
    for (Server* const server : stage.victims()) server->kill();
}

void cut_the_power(Stage& stage) {
    for (Server* const server : stage.victims()) server->lose_power();
}

void cut_the_power_at_a_call(Stage& stage) {
    Server& server = stage.any_server();
    if (server.is_up()) server.machine().faults().lose_power_at_call(stage.random.below(kCallsMax));
}

void stop_a_server(Stage& stage) {
    Server& server = stage.any_server();
    if (server.is_serving() && !server.is_paused() && !server.stop_cleanly(kStopLimit))
        stage.complaints.push_back({"I18", server.name() + " does not stop"});
}

void pause_servers(Stage& stage) {
    for (Server* const server : stage.victims()) server->pause();
}

void resume_servers(Stage& stage) {
    for (const auto& server : stage.servers) server->resume();
}

}  // namespace milena::sim

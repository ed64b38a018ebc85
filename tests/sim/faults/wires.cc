// SPDX-License-Identifier: Apache-2.0
// A network that is cut (both ways or one), breaks connections, or is slow.
#include "sim/faults/fault.h"

namespace milena::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr double kBreakRate = 0.02;

/// Any other machine.
const std::string& any_peer(Stage& stage, const Server& server) {
    const auto& nodes = stage.world.nodes();
    for (;;) {
        const auto& name = nodes[stage.random.below(nodes.size())]->name();
        if (name != server.name()) return name;
    }
}

}  // namespace

void cut_the_wires(Stage& stage) {
    const Server& server = stage.any_server();
    const std::string& peer = any_peer(stage, server);
    const std::uint64_t ways = stage.random.between(1, 3);
    if ((ways & 1) != 0) stage.world.network().cut(server.name(), peer);
    if ((ways & 2) != 0) stage.world.network().cut(peer, server.name());
}

void mend_the_wires(Stage& stage) {
    stage.world.network().mend_all();
    stage.world.network().set_break_rate(0);
}

void break_connections(Stage& stage) {
    const Server& server = stage.any_server();
    stage.world.network().break_connections(server.name(), any_peer(stage, server));
}

void break_connections_at_random(Stage& stage) {
    stage.world.network().set_break_rate(kBreakRate);
}

void slow_the_network(Stage& stage) {
    stage.world.network().set_latency(milliseconds(1), milliseconds(400));
}

void speed_up_the_network(Stage& stage) {
    stage.world.network().set_latency(microseconds(50), milliseconds(2));
}

}  // namespace milena::sim

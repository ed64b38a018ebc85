// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a simulated run, one fault a file: it strikes, lasts for a while that the run
// decides, and is healed. A fault keeps nothing itself: what it did can be seen from the stage.
#pragma once

#include <memory>
#include <span>

#include "sim/runs/server.h"

namespace milena::sim {

/// Whom it can hit.
struct Stage {
    World& world;
    std::vector<std::unique_ptr<Server>>& servers;
    Node& clients;
    SeededRandom random;
    std::vector<Violation>& complaints;

    Server& any_server() { return *servers[random.below(servers.size())]; }
};

struct Fault {
    std::string_view name;
    /// Loses what was not synced: only for clusters that sync before they acknowledge.
    bool loses_unsynced = false;
    void (*strike)(Stage& stage);
    void (*heal)(Stage& stage);
};

/// All of them.
std::span<const Fault> faults();
/// Null if none has that name.
const Fault* find_fault(std::string_view name);

/// Starts what is down.
void start_servers(Stage& stage);

void kill_a_server(Stage& stage);
void cut_the_power(Stage& stage);
void cut_the_power_at_a_call(Stage& stage);
void stop_a_server(Stage& stage);
void cut_the_wires(Stage& stage);
void mend_the_wires(Stage& stage);
void break_connections(Stage& stage);
void break_connections_at_random(Stage& stage);
void slow_the_network(Stage& stage);
void speed_up_the_network(Stage& stage);
void slow_the_disks(Stage& stage);
void speed_up_the_disks(Stage& stage);
void set_a_wall_clock(Stage& stage);

}  // namespace milena::sim

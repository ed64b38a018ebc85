// SPDX-License-Identifier: Apache-2.0
// What goes wrong in a simulated run, one fault a file: it strikes, lasts for a while that the run
// decides, and is healed. A fault keeps nothing itself: what it did can be seen from the stage.
#pragma once

#include <memory>
#include <span>

#include "sim/quorum/watch.h"

namespace milena::sim {

/// Whom it can hit.
struct Stage {
    World& world;
    std::vector<std::unique_ptr<Server>>& servers;
    Node& clients;
    const QuorumWatch& watch;
    SeededRandom random;
    std::vector<Violation>& complaints;

    /// Often the one that leads the quorum.
    Server& any_server();
    /// One, or two of them.
    std::vector<Server*> victims();
};

struct Fault {
    std::string_view name;
    /// Loses what was not synced: only for clusters that sync before they acknowledge.
    bool loses_unsynced = false;
    /// Means something only where there are several servers.
    bool needs_peers = false;
    void (*strike)(Stage& stage);
    void (*heal)(Stage& stage);
    /// How long it is left alone at most.
    env::Duration lasts_max = std::chrono::seconds(5);
};

/// All of them.
std::span<const Fault> faults();
/// Null if none has that name.
const Fault* find_fault(std::string_view name);

/// Starts what is down.
void start_servers(Stage& stage);

void kill_servers(Stage& stage);
void cut_the_power(Stage& stage);
void cut_the_power_at_a_call(Stage& stage);
void stop_a_server(Stage& stage);
void pause_servers(Stage& stage);
void resume_servers(Stage& stage);

void cut_the_wires(Stage& stage);
void split_in_halves(Stage& stage);
void make_a_ring(Stage& stage);
void lock_in_the_leader(Stage& stage);
void make_one_deaf(Stage& stage);
void mend_the_wires(Stage& stage);
void break_connections(Stage& stage);
void break_connections_at_random(Stage& stage);
void slow_the_network(Stage& stage);
void speed_up_the_network(Stage& stage);
void send_frames_again(Stage& stage);

void slow_the_disks(Stage& stage);
void slow_the_syncs(Stage& stage);
void speed_up_the_disks(Stage& stage);
void fail_a_call(Stage& stage);
void fail_the_syncs(Stage& stage);
void mend_the_disks(Stage& stage);
void fill_the_disks(Stage& stage);
void empty_the_disks(Stage& stage);

void set_a_wall_clock(Stage& stage);
void shake_the_wall_clocks(Stage& stage);

}  // namespace milena::sim

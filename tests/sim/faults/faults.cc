// SPDX-License-Identifier: Apache-2.0
// The table of faults, and whom they hit.
#include <algorithm>
#include <array>

#include "sim/faults/fault.h"

namespace milena::sim {
namespace {

constexpr double kLeaderChance = 0.3;
constexpr double kTwoChance = 0.25;

void nothing(Stage&) {}

constexpr std::array kFaults = {
    Fault{"kill", false, false, &kill_servers, &start_servers},
    Fault{"stop", false, false, &stop_a_server, &start_servers},
    Fault{"power", true, false, &cut_the_power, &start_servers},
    Fault{"power-at-call", true, false, &cut_the_power_at_a_call, &start_servers},
    Fault{"pause", false, false, &pause_servers, &resume_servers, std::chrono::seconds(20)},
    Fault{"cut", false, false, &cut_the_wires, &mend_the_wires},
    Fault{"halves", false, true, &split_in_halves, &mend_the_wires, std::chrono::seconds(15)},
    Fault{"ring", false, true, &make_a_ring, &mend_the_wires, std::chrono::seconds(15)},
    Fault{"leader-alone", false, true, &lock_in_the_leader, &mend_the_wires,
          std::chrono::seconds(15)},
    Fault{"deaf", false, true, &make_one_deaf, &mend_the_wires, std::chrono::seconds(15)},
    Fault{"break", false, false, &break_connections, &nothing},
    Fault{"shaky", false, false, &break_connections_at_random, &mend_the_wires},
    Fault{"slow-network", false, false, &slow_the_network, &speed_up_the_network},
    Fault{"again", false, true, &send_frames_again, &nothing},
    Fault{"slow-disk", false, false, &slow_the_disks, &speed_up_the_disks},
    Fault{"slow-sync", false, false, &slow_the_syncs, &speed_up_the_disks},
    Fault{"disk-call", true, false, &fail_a_call, &mend_the_disks},
    Fault{"disk-sync", true, false, &fail_the_syncs, &mend_the_disks},
    Fault{"disk-full", false, false, &fill_the_disks, &empty_the_disks},
    Fault{"clock", false, false, &set_a_wall_clock, &nothing},
    Fault{"clock-shakes", false, false, &shake_the_wall_clocks, &nothing},
};

}  // namespace

std::span<const Fault> faults() {
    return kFaults;
}

const Fault* find_fault(std::string_view name) {
    const auto found = std::ranges::find(kFaults, name, &Fault::name);
    return found == kFaults.end() ? nullptr : &*found;
}

Server& Stage::any_server() {
    const bool takes_leader = random.chance(kLeaderChance);
    const std::uint64_t drawn = random.below(servers.size());
    Server* const leader = takes_leader ? watch.leader() : nullptr;
    return leader != nullptr ? *leader : *servers[drawn];
}

std::vector<Server*> Stage::victims() {
    std::vector<Server*> found{&any_server()};
    if (random.chance(kTwoChance)) {
        Server* const other = &any_server();
        if (other != found.front()) found.push_back(other);
    }
    return found;
}

}  // namespace milena::sim

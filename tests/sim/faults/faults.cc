// SPDX-License-Identifier: Apache-2.0
// The table of faults.
#include <algorithm>
#include <array>

#include "sim/faults/fault.h"

namespace milena::sim {
namespace {

void nothing(Stage&) {}

constexpr std::array kFaults = {
    Fault{"kill", false, &kill_a_server, &start_servers},
    Fault{"stop", false, &stop_a_server, &start_servers},
    Fault{"power", true, &cut_the_power, &start_servers},
    Fault{"power-at-call", true, &cut_the_power_at_a_call, &start_servers},
    Fault{"cut", false, &cut_the_wires, &mend_the_wires},
    Fault{"break", false, &break_connections, &nothing},
    Fault{"shaky", false, &break_connections_at_random, &mend_the_wires},
    Fault{"slow-network", false, &slow_the_network, &speed_up_the_network},
    Fault{"slow-disk", false, &slow_the_disks, &speed_up_the_disks},
    Fault{"clock", false, &set_a_wall_clock, &nothing},
};

}  // namespace

std::span<const Fault> faults() {
    return kFaults;
}

const Fault* find_fault(std::string_view name) {
    const auto found = std::ranges::find(kFaults, name, &Fault::name);
    return found == kFaults.end() ? nullptr : &*found;
}

}  // namespace milena::sim

// SPDX-License-Identifier: Apache-2.0
// What a run is like: drawn from its seed too, so that some runs are calm and some are cruel, some
// write much and some little.
#pragma once

#include <string>
#include <vector>

#include "sim/faults/fault.h"
#include "sim/runs/layout.h"

namespace milena::sim {

/// What is wanted whatever the seed draws; empty: nothing.
struct Wanted {
    std::string fault;
    std::string layout;
};

struct Shape {
    Layout layout;
    bool takes_coarse_steps = true;
    ServerSettings settings{};
    env::Duration duration{};
    std::int32_t partitions = 1;
    std::int32_t writers = 1;
    std::int32_t readers = 1;
    std::int32_t members = 0;
    std::int32_t static_members = 0;
    /// Members of the consumer protocol.
    std::int32_t consumers = 0;
    std::int32_t static_consumers = 0;
    /// They are in the group of the others, which changes between the protocols.
    bool is_mixed = false;
    env::Duration write_pause_max{};
    std::int32_t segment_bytes = 0;
    std::vector<const Fault*> faults{};

    static Shape draw(SeededRandom random, const Wanted& wanted);
    std::string text() const;
};

}  // namespace milena::sim

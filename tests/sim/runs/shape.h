// SPDX-License-Identifier: Apache-2.0
// What a run is like: drawn from its seed too, so that some runs are calm and some are cruel, some
// write much and some little.
#pragma once

#include <string>
#include <vector>

#include "sim/faults/fault.h"
#include "sim/random.h"

namespace milena::sim {

struct Shape {
    env::Duration duration{};
    std::int32_t partitions = 1;
    std::int32_t writers = 1;
    std::int32_t readers = 1;
    env::Duration write_pause_max{};
    /// Every record is synced before it is acknowledged; else only the page cache keeps it.
    bool syncs_each_record = false;
    std::int32_t segment_bytes = 0;
    std::vector<const Fault*> faults;

    /// `only`, if it is not empty, names the one fault that is wanted.
    static Shape draw(SeededRandom random, std::string_view only);
    std::string text() const;
};

}  // namespace milena::sim

// SPDX-License-Identifier: Apache-2.0
// One run of a simulated cluster from its seed: servers and clients work while faults come and go;
// then everything heals, everything that was begun must come to its end, all logs are read, and the
// checkers judge. Same seed, same program: same trace hash.
#pragma once

#include "sim/runs/shape.h"
#include "sim/workload/history.h"

namespace milena::sim {

struct RunOptions {
    std::uint64_t seed = 1;
    Wanted wanted;
    /// Servers, and the run, write what they do on standard output, with the virtual time.
    bool tells_its_story = false;
};

struct Report {
    std::uint64_t seed = 0;
    std::string shape;
    std::string layout;
    std::uint64_t trace_hash = 0;
    env::Duration simulated{};
    std::uint64_t strikes = 0;
    std::uint64_t acknowledged = 0;
    std::uint64_t read = 0;
    std::uint64_t topic_steps = 0;
    std::uint64_t moves = 0;
    std::uint64_t commits = 0;
    std::uint64_t holds = 0;
    std::uint64_t metadata_records = 0;
    std::uint64_t images = 0;
    std::uint64_t replicas = 0;
    std::vector<Violation> violations;

    std::string text() const;
};

Report run_seed(const RunOptions& options);

}  // namespace milena::sim

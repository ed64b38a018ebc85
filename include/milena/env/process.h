// SPDX-License-Identifier: Apache-2.0
// What the system counts of this process.
#pragma once

#include <cstdint>

namespace milena::env {

/// 0 where the system does not tell.
struct ProcessFigures {
    double cpu_seconds = 0;  ///< user and system time
    std::uint64_t resident_bytes = 0;
    std::uint64_t open_descriptors = 0;
    std::uint64_t descriptors_max = 0;
    double start_time_seconds = 0;  ///< since 1970
};

/// As /proc/self has them now.
ProcessFigures process_figures();

/// Lets this process open as many files as the system allows it to at most (its hard limit), which
/// is far more than it is given at first; as a JVM does.
void raise_descriptor_limit();

}  // namespace milena::env

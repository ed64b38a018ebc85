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

/// The files that are kept open, and how often others had to make room for them.
struct DescriptorFigures {
    std::uint64_t open = 0;
    std::uint64_t open_max = 0;
    std::uint64_t hits = 0;    ///< uses of a file that was open
    std::uint64_t misses = 0;  ///< files that were opened again
    std::uint64_t evictions = 0;
    /// Files that were synced because their place was needed.
    std::uint64_t dirty_evictions = 0;
};

class FileSystem;

/// Of the operating system's files; zeros of any other.
DescriptorFigures descriptor_figures(FileSystem& files);

/// Lets this process open as many files as the system allows it to at most (its hard limit), which
/// is far more than it is given at first; as a JVM does.
void raise_descriptor_limit();

}  // namespace milena::env

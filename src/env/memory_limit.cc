// SPDX-License-Identifier: Apache-2.0
// How much memory this process may use: the smaller of the machine's and its control group's.
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "milena/env/env.h"

namespace milena::env {

std::uint64_t process_memory_limit() {
    const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    // cgroup v2, then v1; "max", or a number beyond the machine's memory, is no limit.
    for (const char* path :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::uint64_t limit = 0;
        if (std::ifstream file(path); file >> limit) return std::min(limit, machine);
    }
    return machine;
}

}  // namespace milena::env

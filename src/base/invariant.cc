// SPDX-License-Identifier: Apache-2.0
// Says what did not hold, and where, and ends the process.
#include "milena/base/invariant.h"

#include <cstdio>
#include <cstdlib>

namespace milena::detail {

void invariant_failed(std::string_view condition, std::string_view message, const char* file,
                      int line) {
    std::fprintf(stderr, "%s:%d: invariant does not hold: %.*s (%.*s)\n", file, line,
                 static_cast<int>(message.size()), message.data(),
                 static_cast<int>(condition.size()), condition.data());
    std::fflush(stderr);
    std::abort();
}

}  // namespace milena::detail

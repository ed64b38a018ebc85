// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error.
#include "console.h"

#include <cstdio>

namespace milena::cli {

void print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_error(std::string_view text) {
    std::fflush(stdout);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

bool flush_output() {
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "milena/env/network.h"

namespace milena::env {

std::string Endpoint::text() const {
    const bool needs_brackets = host.find(':') != std::string::npos;
    return needs_brackets ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

}  // namespace milena::env

// SPDX-License-Identifier: Apache-2.0
// How an endpoint prints, in logs and in errors.
#include <fmt/format.h>

#include "milena/env/network.h"

namespace milena::env {

std::string Endpoint::text() const {
    const bool needs_brackets = host.find(':') != std::string::npos;
    return needs_brackets ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

}  // namespace milena::env

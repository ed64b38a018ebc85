// SPDX-License-Identifier: Apache-2.0
// Looks at a node of this machine from outside: whether its ports are free, and how far it has
// come.
#pragma once

#include <optional>
#include <string>

#include "milena/env/network.h"

namespace milena::cli {

/// Nothing if `at` can be bound; else why not, in the system's words.
std::optional<std::string> bind_obstacle(const env::Endpoint& at);

/// The status that /healthz tells ("recovering", "ready"); nothing while nobody answers. Waits for
/// half a second at most.
std::optional<std::string> ask_health(const env::Endpoint& admin);

/// Whether somebody listens there.
bool is_listening(const env::Endpoint& at);

}  // namespace milena::cli

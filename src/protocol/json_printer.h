// SPDX-License-Identifier: Apache-2.0
// The inspector behind to_json(): JSON in the form that Kafka's tools print messages in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "milena/protocol/inspector.h"

namespace milena::protocol {

/// Runs `show` on a printer and gives what it printed.
std::string print_json(std::int16_t version, const std::function<void(Inspector&)>& show);

}  // namespace milena::protocol

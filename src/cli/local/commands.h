// SPDX-License-Identifier: Apache-2.0
// milena cluster start, stop and status: a cluster of processes on this machine, for trying things
// out.
#pragma once

#include "command.h"

namespace milena::cli {

/// True if `action` is one of the three.
bool is_local_action(std::string_view action);

/// `arguments` begin with the action. Gives the exit code.
int run_local_action(const Arguments& arguments);

}  // namespace milena::cli

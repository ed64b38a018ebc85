// SPDX-License-Identifier: Apache-2.0
// milena storage recover-quorum: the way out of a lost majority.
#pragma once

#include "command.h"

namespace milena::cli {

/// Gives the exit code; the arguments are those behind "recover-quorum".
int run_recover_quorum(const Arguments& arguments);

}  // namespace milena::cli

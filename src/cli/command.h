// SPDX-License-Identifier: Apache-2.0
// A command of the one binary: each has a file in commands/ and a line in commands.cc.
#pragma once

#include <CLI/CLI.hpp>

namespace milena::cli {

/// Exit codes, as Kafka's tools have them.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;

/// Adds the command to `app`; when it was chosen, its exit code is written to `exit_code`.
void add_server_command(CLI::App& app, int& exit_code);

}  // namespace milena::cli

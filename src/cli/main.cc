// SPDX-License-Identifier: Apache-2.0
// milena: one binary for the server and the tools.
#include <CLI/CLI.hpp>

#include "command.h"

int main(int argc, char** argv) {
    CLI::App app("Milena: a distributed log broker that speaks Kafka's protocol.", "milena");
    app.set_version_flag("--version", "milena " MILENA_VERSION " (Kafka 4.4)");
    app.require_subcommand(1);
    int exit_code = milena::cli::kExitOk;
    milena::cli::add_server_command(app, exit_code);
    CLI11_PARSE(app, argc, argv);
    return exit_code;
}

// SPDX-License-Identifier: Apache-2.0
// milena: one binary for the server and the tools.
#include "command.h"

int main(int argc, char** argv) {
    const milena::cli::Arguments arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return milena::cli::run_program(argc > 0 ? argv[0] : "milena", arguments);
}

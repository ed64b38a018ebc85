// SPDX-License-Identifier: Apache-2.0
// milena config-reference: prints docs/reference/configuration.md from the tables of keys.
#include <string>

#include "console.h"
#include "milena/config/keys.h"
#include "parser.h"

namespace milena::cli {
namespace {

int run(const Arguments& arguments) {
    Parser parser("config-reference", "Prints the reference of all configuration keys.");
    if (!arguments.empty()) {
        if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    }
    print(config::reference_page());
    return kExitOk;
}

}  // namespace

Command command_config_reference() {
    return {.about = "Print the reference of all configuration keys",
            .run = run,
            .has_kafka_name = false};
}

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// milena broker-api-versions, kafka-broker-api-versions.sh: which versions of which APIs each
// broker serves.
#include "command_files.h"
#include "console.h"
#include "parser.h"
#include "text/api_text.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

int run(const Arguments& arguments) {
    Parser parser("broker-api-versions", "This tool helps to retrieve broker version information.");
    const Option& bootstrap =
        parser.required(parser.option("bootstrap-server", "The servers to connect to."));
    const Option& command_config = parser.option("command-config", "Properties of the client.");
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const auto connect = connect_to_brokers(bootstrap.text(), command_config.text());
    const auto done = in_session(connect, print_api_versions);
    if (done) return kExitOk;
    print_error(exception_text(done.error()) + "\n");
    return kExitFailed;
}

}  // namespace

Command command_broker_api_versions() {
    return {.about = "Which versions of which APIs each broker serves", .run = run};
}

}  // namespace milena::cli

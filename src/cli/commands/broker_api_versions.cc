// SPDX-License-Identifier: Apache-2.0
// milena broker-api-versions, kafka-broker-api-versions.sh: which versions of which APIs each
// broker serves.
#include "cluster/connect_options.h"
#include "command_files.h"
#include "console.h"
#include "text/api_text.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

int run(const Arguments& arguments) {
    Parser parser("broker-api-versions", "This tool helps to retrieve broker version information.");
    const AdminOptions cluster(parser);
    parser.required(cluster.brokers);
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const auto done = in_session(cluster.connect(), print_api_versions);
    if (done) return kExitOk;
    print_error(exception_text(done.error()) + "\n");
    return kExitFailed;
}

}  // namespace

Command command_broker_api_versions() {
    return {.about = "Which versions of which APIs each broker serves", .run = run};
}

}  // namespace milena::cli

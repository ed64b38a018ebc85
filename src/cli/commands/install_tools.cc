// SPDX-License-Identifier: Apache-2.0
// milena install-tools DIR: links kafka-NAME.sh and kafka-NAME for every tool there is to this
// binary, so that scripts written for Kafka find them.
#include <filesystem>

#include <fmt/format.h>

#include "command_files.h"
#include "console.h"
#include "parser.h"

namespace milena::cli {
namespace {

namespace fs = std::filesystem;

/// Replaces an older link, but no file that is something else.
std::error_code link(const fs::path& binary, const fs::path& at) {
    std::error_code error;
    if (fs::is_symlink(at)) fs::remove(at, error);
    if (!error) fs::create_symlink(binary, at, error);
    return error;
}

int install(const fs::path& directory) {
    std::error_code error;
    const fs::path binary = fs::read_symlink("/proc/self/exe", error);
    if (!error) fs::create_directories(directory, error);
    if (error) {
        print_error(fmt::format("{}: {}\n", directory.string(), error.message()));
        return kExitFailed;
    }
    for (const auto& [name, command] : commands()) {
        if (!command.has_kafka_name) continue;
        for (const std::string_view suffix : {"", ".sh"}) {
            const fs::path at = directory / fmt::format("kafka-{}{}", name, suffix);
            error = link(binary, at);
            if (!error) continue;
            print_error(fmt::format("{}: {}\n", at.string(), error.message()));
            return kExitFailed;
        }
    }
    return kExitOk;
}

int run(const Arguments& arguments) {
    Parser parser("install-tools", "Links the kafka-* names to this binary.");
    const auto& directory = parser.positional("DIR", "where the links are made");
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    if (!directory) return parser.wrong_usage("DIR is missing");
    return install(fs::path(directory.text()));
}

}  // namespace

Command command_install_tools() {
    return {.about = "Link the kafka-* names to this binary", .run = run, .has_kafka_name = false};
}

}  // namespace milena::cli

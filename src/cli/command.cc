// SPDX-License-Identifier: Apache-2.0
// Which command runs: by the name of the program, or by its first argument.
#include "command.h"

#include <algorithm>
#include <array>

#include "command_files.h"
#include "console.h"

namespace milena::cli {
namespace {

const NamedCommand* find_command(std::string_view name) {
    const auto found = std::ranges::find(commands(), name, &NamedCommand::name);
    return found == commands().end() ? nullptr : &*found;
}

std::string overview() {
    std::string text =
        "Milena: a distributed log broker that speaks Kafka's protocol.\n\n"
        "Usage: milena COMMAND [OPTION…]\n       milena COMMAND --help\n\n";
    for (const auto& [name, command] : commands())
        text += fmt::format("  {:<22}{}\n", name, command.about);
    return text;
}

}  // namespace

std::span<const NamedCommand> commands() {
    static const auto kCommands = std::to_array<NamedCommand>({MILENA_COMMANDS});
    return kCommands;
}

const NamedCommand* command_of_program(std::string_view program) {
    constexpr std::string_view kPrefix = "kafka-";
    constexpr std::string_view kSuffix = ".sh";
    std::string_view name = program.substr(program.rfind('/') + 1);
    if (!name.starts_with(kPrefix)) return nullptr;
    name.remove_prefix(kPrefix.size());
    if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
    const NamedCommand* const command = find_command(name);
    return command != nullptr && command->command.has_kafka_name ? command : nullptr;
}

int run_program(std::string_view program, const Arguments& arguments) {
    if (const auto* const named = command_of_program(program)) return named->command.run(arguments);
    if (arguments.empty()) {
        print_error(overview());
        return kExitFailed;
    }
    if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
        print(overview());
        return kExitOk;
    }
    if (arguments[0] == "--version") {
        print("milena " MILENA_VERSION " (Kafka 4.4)\n");
        return kExitOk;
    }
    const auto* const named = find_command(arguments[0]);
    if (named == nullptr) {
        print_error(fmt::format("There is no command {}.\n\n{}", arguments[0], overview()));
        return kExitFailed;
    }
    return named->command.run(Arguments(arguments.begin() + 1, arguments.end()));
}

}  // namespace milena::cli

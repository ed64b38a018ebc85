// SPDX-License-Identifier: Apache-2.0
// A command of the one binary. Each has a file in commands/: commands/log_dirs.cc defines
// `Command command_log_dirs()`, and the build makes the table from the file names.
// `milena log-dirs` runs it, and so does the binary under the name kafka-log-dirs.sh.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace milena::cli {

/// Exit codes, as Kafka's tools have them.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;

using Arguments = std::vector<std::string>;

struct Command {
    std::string_view about;  ///< one line for the list of commands
    /// Gives the exit code. The arguments are those after the command's name.
    int (*run)(const Arguments& arguments) = nullptr;
    bool has_kafka_name = true;  ///< there is a kafka-NAME.sh
};

struct NamedCommand {
    std::string_view name;
    Command command;
};

/// All commands, by name.
std::span<const NamedCommand> commands();

/// Which command a program called `program` runs by its name alone: "/opt/kafka-topics.sh" is
/// topics. Null if the name is no command's.
const NamedCommand* command_of_program(std::string_view program);

/// Runs the command that the program's name or its first argument says; gives the exit code.
int run_program(std::string_view program, const Arguments& arguments);

}  // namespace milena::cli

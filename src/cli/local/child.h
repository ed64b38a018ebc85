// SPDX-License-Identifier: Apache-2.0
// A node of a local cluster as a child process: started, its end noticed, its log's last lines
// read.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "milena/base/result.h"

namespace milena::cli {

/// Starts `milena server FILE` of this same binary; what it prints is added to `log`. It is out of
/// the terminal's reach (Ctrl-C does not get there), and is told to stop when this process is gone,
/// whatever ended it. It gets the signals that this process has blocked.
Result<pid_t> spawn_server(const std::string& properties, const std::string& log);

/// A child that has ended, and how: "exit code 1", "signal 9 (Killed)".
struct Ended {
    pid_t process = 0;
    std::string how;
};
/// The next one that has; nothing if all others run.
std::optional<Ended> reap();

/// The last lines of a file, each indented; at most `bytes_max` of them.
std::string tail_of(const std::string& path, std::size_t bytes_max);

/// The process that holds the lock of a directory (.lock); 0 if there is none.
pid_t lock_holder(const std::string& lock_path);

}  // namespace milena::cli

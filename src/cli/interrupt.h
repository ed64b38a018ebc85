// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM for a tool that has something to finish before it ends: the first is noted,
// the second ends the process at once.
#pragma once

#include "cluster/session.h"

namespace milena::cli {

class Interrupt {
public:
    /// From here on signals are caught.
    explicit Interrupt(Session& session);
    /// Which one came; 0 while none has. On the session's executor.
    int signal() const { return *signal_; }

private:
    std::shared_ptr<int> signal_ = std::make_shared<int>(0);
};

/// The exit code of a program that the signal has ended, as shells see it.
int exit_code_of(int signal);

}  // namespace milena::cli

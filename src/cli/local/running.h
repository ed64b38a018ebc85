// SPDX-License-Identifier: Apache-2.0
// The processes of a local cluster from their start to their end, watched by one loop that waits
// for signals: Ctrl-C, or a child's end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <vector>

#include "local/layout.h"

namespace milena::cli {

/// Blocks the signals that RunningCluster waits for; before any thread is started.
void block_cluster_signals();

class RunningCluster {
public:
    explicit RunningCluster(LocalCluster cluster);

    /// Starts the nodes, tells when each is ready, then waits for a signal to stop them, or for the
    /// last one to end. Gives the exit code.
    int run();

private:
    enum class State { running, ready, ended };
    struct Process {
        pid_t id = 0;
        State state = State::running;
    };

    Result<void> start();
    void look_for_ready();
    void tell_ready() const;
    void reap_ended();
    void stop();
    void send_all(int signal) const;
    std::size_t count(State state) const;
    bool runs() const { return count(State::ended) < processes_.size(); }

    LocalCluster cluster_;
    std::vector<Process> processes_;  ///< one for each node
    std::chrono::steady_clock::time_point began_;
    bool is_told_ = false;
    bool is_stopping_ = false;
    bool has_failed_ = false;
};

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// Watches over the log directories of a broker (KIP-112, KIP-858): one that fails is reported to
// the controller, which moves away what was led in it; with the last of them, or with that of the
// metadata log, the broker ends. On the control thread.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "milena/env/env.h"
#include "milena/replication/replicas.h"

namespace milena::drivers {

/// Why a broker can't go on when these of its directories have failed; nothing if it can.
std::optional<std::string> reason_to_stop(std::span<const replication::FailedDirectory> failed,
                                          std::size_t directories,
                                          std::string_view metadata_directory);

struct DirectoryFailuresOptions {
    std::size_t directories = 0;     ///< entries of log.dirs
    std::string metadata_directory;  ///< metadata.log.dir
    /// The directory ids of all that have failed so far.
    std::function<void(std::vector<Uuid>)> report;
    /// The broker can't go on.
    std::function<void(const Error&)> end;
};

class DirectoryFailures {
public:
    /// `replicas` outlives this, and tells nobody else.
    DirectoryFailures(env::Env& env, replication::Replicas& replicas,
                      DirectoryFailuresOptions options);

    void start();
    env::Task<void> stop();

private:
    env::Task<void> run();
    void judge();

    env::Env& env_;
    replication::Replicas& replicas_;
    const DirectoryFailuresOptions options_;
    std::size_t known_ = 0;  ///< how many have failed
    env::Wakeup work_;
    env::Wakeup ended_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace milena::drivers

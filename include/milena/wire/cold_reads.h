// SPDX-License-Identifier: Apache-2.0
// Reads of files that are not in memory: few at once of each log directory, so that a disk that
// hangs holds up those who read from it, and not those who read from another.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "milena/env/guarded.h"
#include "milena/env/pool_turns.h"

namespace milena::wire {

/// Thread-safe.
class ColdReads {
public:
    /// Of one log directory.
    static constexpr std::size_t kAtOnce = 2;
    /// The files of all further directories have the same turns.
    static constexpr std::size_t kDirectoriesMax = 64;

    /// The turns for `path`, a file in a partition's directory, which is in a log directory. They
    /// last as long as this.
    std::shared_ptr<env::PoolTurns> turns_for(std::string_view path);

private:
    using ByDirectory = std::map<std::string, std::shared_ptr<env::PoolTurns>, std::less<>>;

    env::Guarded<ByDirectory> by_directory_;
};

}  // namespace milena::wire

// SPDX-License-Identifier: Apache-2.0
// Log compaction of the replicas of this node: which logs have something to clean, and the cleaning
// of one of them, in pieces. What a log can't bear meanwhile (a cut, its end, a move to another
// directory) calls the cleaning off.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/uuid.h"
#include "milena/storage/cleaning.h"
#include "milena/storage/log_directory.h"

namespace milena::replication {

struct CleanableLog {
    Uuid topic{};
    PartitionIndex partition{};
    storage::TopicPartition name{};
    std::string directory{};  ///< the entry of log.dirs
    storage::DirtyLog dirty{};
};

/// One log's. Of one thread at a time, in the disk pool.
class LogCleaning {
public:
    virtual ~LogCleaning() = default;

    enum class Outcome : std::uint8_t { goes_on, done, called_off };
    /// A piece of it. After an error the log is as it was, or its directory has failed, and the
    /// cleaning is over. Called off: the log has changed so that it can't go on.
    virtual Result<Outcome> step() = 0;
    /// It does not go on; what was written for nothing is removed.
    virtual void give_up() = 0;
    virtual const storage::CleaningFigures& figures() const = 0;
};

/// Thread-safe.
class CleanableLogs {
public:
    /// Nothing at or above it may be cleaned; nothing: no limit.
    using Limit = std::function<std::optional<Offset>(Uuid topic, PartitionIndex partition)>;

    virtual ~CleanableLogs() = default;
    /// The logs of compacted topics that have a dirty part, whether it is worth a cleaning or not.
    /// A log that can't be looked at is left out.
    virtual std::vector<CleanableLog> list(const Limit& limit) = 0;
    /// Nothing if the log is gone, or is not what it was.
    virtual std::unique_ptr<LogCleaning> begin(const CleanableLog& log,
                                               const storage::CleaningLimits& limits) = 0;
};

}  // namespace milena::replication

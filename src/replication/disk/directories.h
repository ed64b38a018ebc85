// SPDX-License-Identifier: Apache-2.0
// The entries of log.dirs as places for replicas: which are usable, how many replicas each has,
// where the next one goes, and what was last written to their checkpoints. Thread-safe.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "milena/env/guarded.h"
#include "milena/replication/replicas.h"
#include "milena/storage/log_directory.h"

namespace milena::replication {

/// The four checkpoint files of one directory.
struct Checkpoints {
    storage::OffsetCheckpoint recovery_points;
    storage::OffsetCheckpoint high_watermarks;
    storage::OffsetCheckpoint log_starts;
    storage::OffsetCheckpoint cleaned_to;  ///< of logs that were cleaned
};

class Directories {
public:
    Directories(Logger logger, std::vector<storage::LogDirectory*> directories);

    std::size_t size() const { return directories_.size(); }
    storage::LogDirectory& operator[](std::size_t index) const { return *directories_[index]; }

    /// Its directory.id; zero if it has none.
    Uuid id(std::size_t index) const;
    bool usable(std::size_t index) const;
    bool all_usable() const;
    /// It is used no more. True the first time.
    bool fail(std::size_t index, const Error& error);
    /// Those that could not even be opened: they are none of the others.
    void lack(std::vector<std::string> paths) { lacking_ = std::move(paths); }
    const std::vector<std::string>& lacking() const { return lacking_; }
    std::vector<FailedDirectory> failed() const;
    /// From now on `tell` hears, on any thread, that one has failed.
    void when_failed(std::function<void()> tell);

    void count(std::size_t index, int partitions);
    /// The directory `assigned` names if it is one of ours and usable (KIP-858), else the usable
    /// one with the fewest replicas, the first of them; nothing if none is usable.
    std::optional<std::size_t> pick(Uuid assigned) const;

    /// Writes those files whose contents are not what was written last.
    Result<void> write(std::size_t index, const Checkpoints& checkpoints);

private:
    struct State {
        Uuid id;
        bool failed = false;
        std::int64_t partitions = 0;
        std::array<std::optional<storage::OffsetCheckpoint>, 4> written;
    };
    Result<void> write_one(std::size_t index, std::size_t file,
                           const storage::OffsetCheckpoint& offsets);

    Logger logger_;
    const std::vector<storage::LogDirectory*> directories_;
    std::vector<std::string> lacking_;  ///< before anybody asks
    env::Guarded<std::vector<State>> states_;
    env::Guarded<std::function<void()>> tell_;
};

}  // namespace milena::replication

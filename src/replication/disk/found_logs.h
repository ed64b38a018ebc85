// SPDX-License-Identifier: Apache-2.0
// The logs that lay on the disk at start, opened before anybody knows which of them the metadata
// still wants. A replica that starts claims its log; what nobody claims are strays: kept as they
// are, never served.
//
// find() comes first, then open(), by as many threads as one likes; afterwards all calls are
// thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "disk/directories.h"
#include "milena/env/env.h"
#include "milena/replication/replicas.h"

namespace milena::replication {

class FoundLogs {
public:
    /// `fail` hears, on any thread, of a directory whose disk does not let a log be opened.
    using Fail = std::function<void(std::size_t directory, const Error& error)>;
    FoundLogs(env::Env& env, Logger logger, Directories& directories, Fail fail);

    /// Lists the partitions of all directories. One whose disk can't be read has failed; an error
    /// if something in one is wrong, or two hold the same partition.
    Result<void> find(const std::vector<bool>& directory_was_clean);
    /// Opens, and recovers where the stop was not clean, one log after the other until none is
    /// left; several threads may do so together. A log that can't be opened stays here.
    void open();
    Replicas::OpenProgress progress() const;

    struct Claimed {
        /// Null if it can't be opened: it stays here, as it was found.
        std::unique_ptr<storage::Log> log;
        std::size_t directory = 0;
        Offset high_watermark;
    };
    /// The log of this partition of this topic; a log without a topic id (none was written yet)
    /// belongs to whoever has its name. One that could not be opened yet is tried again. One caller
    /// at a time.
    std::optional<Claimed> claim(const storage::TopicPartition& partition, Uuid topic_id);
    /// Closes and forgets a stray, whose name in `directory` somebody else needs.
    void drop(const storage::TopicPartition& partition, std::size_t directory);

    /// Their part of the directory's checkpoints.
    void add_checkpoints(std::size_t directory, Checkpoints& checkpoints) const;
    /// Of those that are open.
    std::vector<storage::FoundPartition> unclaimed() const;
    std::size_t count_unsynced(std::size_t directory) const;
    /// Closes the logs of one directory. An error also if one was never opened: the stop is not
    /// clean then.
    Result<void> close(std::size_t directory);
    /// The halves of close(); see storage::Log::begin_close().
    Result<void> begin_close(std::size_t directory);
    Result<void> end_close(std::size_t directory);

private:
    struct Found {
        Uuid topic_id;
        std::size_t directory = 0;
        /// How it is opened; once it is open, what it was found to be: nothing writes to it here.
        storage::Recovery recovery;
        Offset high_watermark;
        std::unique_ptr<storage::Log> log;

        void take(std::unique_ptr<storage::Log> opened) {
            log = std::move(opened);
            recovery.recovery_point = log->durable_end_offset();
            // As it is checkpointed: 0 where a segment's name tells it.
            const Offset start = log->log_start_offset();
            recovery.log_start_offset = start > log->first_segment_offset() ? start : Offset(0);
        }
    };
    using ByPartition = std::map<storage::TopicPartition, Found>;
    struct State {
        ByPartition logs;
        ByPartition::iterator next;  ///< to be opened
        std::size_t opened = 0;
        env::Instant next_line;
    };

    Result<ByPartition> find_in(std::size_t directory, bool was_clean) const;
    Result<void> add(ByPartition&& more, ByPartition& found) const;
    Result<void> close_each(std::size_t directory, Result<void> (storage::Log::*step)());
    std::unique_ptr<storage::Log> open_one(const storage::TopicPartition& partition,
                                           const Found& found) const;

    env::Env& env_;
    Logger logger_;
    Directories& directories_;
    const Fail fail_;
    env::Guarded<State> state_;
};

}  // namespace milena::replication

// SPDX-License-Identifier: Apache-2.0
// Under which leader epoch each part of a log was written (KIP-101), kept in
// leader-epoch-checkpoint: "0", the number of lines, then "epoch start-offset" lines, both
// ascending. Every batch carries its epoch, so what was not written yet can be found again from the
// batches that were not synced: the file is only due when the log is synced.
#pragma once

#include <string>
#include <vector>

#include "milena/env/files.h"
#include "milena/storage/log.h"

namespace milena::storage {

class EpochCache {
public:
    struct Entry {
        LeaderEpoch epoch;
        Offset start;

        bool operator==(const Entry&) const = default;
    };

    EpochCache(env::FileSystem& files, std::string path) : files_(&files), path_(std::move(path)) {}

    /// An absent file has no entries; a malformed one is an error that names the line.
    Result<void> load();

    const std::vector<Entry>& entries() const { return entries_; }
    /// kNoLeaderEpoch if there is none.
    LeaderEpoch last() const { return entries_.empty() ? kNoLeaderEpoch : entries_.back().epoch; }

    void replace(std::vector<Entry> entries);
    /// `epoch`, greater than all before, begins at `start`. An earlier epoch that would begin there
    /// too, and so has no batch, is dropped.
    static void add(std::vector<Entry>& entries, Entry entry);
    /// Does nothing if `epoch` is no greater than the last.
    void begin(LeaderEpoch epoch, Offset start);

    /// Drops what begins at or after `end`.
    void truncate_end(Offset end);
    /// Drops what ends at or before `start`; the entry that holds it begins there from now on.
    void truncate_start(Offset start);

    const std::string& path() const { return path_; }
    /// Counts the changes; the file has those up to mark_written().
    std::uint64_t version() const { return version_; }
    bool is_written() const { return version_ == written_; }
    void mark_written(std::uint64_t version) { written_ = std::max(written_, version); }
    /// What the file should hold.
    std::string text() const;

    /// Epoch that `offset` lies in; kNoLeaderEpoch if it is below the first entry.
    LeaderEpoch at(Offset offset) const;
    /// See Log::end_of_epoch.
    std::optional<EpochEnd> end_of(LeaderEpoch epoch, Offset log_end) const;

private:
    env::FileSystem* files_;
    std::string path_;
    std::vector<Entry> entries_;
    std::uint64_t version_ = 0;
    std::uint64_t written_ = 0;
};

}  // namespace milena::storage

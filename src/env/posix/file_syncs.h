// SPDX-License-Identifier: Apache-2.0
// Syncs many files of which nobody waits for a single one, so that their descriptors may be closed.
// One syncfs does for hundreds of files what takes one fdatasync each; it tells only that something
// went wrong, whereupon every file is asked by itself.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "posix/cached_file.h"

namespace milena::env {

/// Thread-safe.
class FileSyncs {
public:
    /// Files on the file system of `directory` whose ordinal is above `ordinal` were opened after
    /// `directory` was, which therefore hears of every write that is lost.
    void watch(Descriptor directory, std::uint64_t ordinal);

    /// Syncs the files, on each of which the caller has a lease. What can't be synced remembers it.
    void sync(std::span<const std::shared_ptr<CachedFile>> files);

private:
    struct Watch {
        Descriptor directory;
        std::uint64_t device = 0;
        std::uint64_t ordinal = 0;
        /// It has heard of a loss; others of its files may have one that it will not hear of again.
        std::atomic<bool> has_failed{false};
    };
    static bool covers(const Watch& watch, const CachedFile& file);
    static void sync_together(Watch& watch, std::span<const std::shared_ptr<CachedFile>> files);

    std::mutex mutex_;
    std::vector<std::shared_ptr<Watch>> watches_;
};

}  // namespace milena::env

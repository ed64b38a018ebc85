// SPDX-License-Identifier: Apache-2.0
// The files of which something that was written could not be saved. The system tells that once, to
// whoever syncs next, and then forgets it; every later sync of the same file through another handle
// would succeed. So it is remembered here, by the file and not by the handle, for as long as the
// process lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>

#include "milena/env/guarded.h"
#include "posix/file_identity.h"

namespace milena::env {

/// Thread-safe. Bounded: where more files than that are lost, all of their devices are.
class LostFiles {
public:
    static constexpr std::size_t kFilesMax = 4096;

    /// errno of the sync that failed, or 0. As long as nothing is lost, which is always, this is
    /// one look at a flag.
    int error_of(const FileIdentity& identity) const {
        return has_some_.load(std::memory_order_acquire) ? look_up(identity) : 0;
    }
    void add(const FileIdentity& identity, int error_number);

private:
    struct Lost {
        std::map<FileIdentity, int> files;
        std::map<std::uint64_t, int> devices;
    };
    int look_up(const FileIdentity& identity) const;

    std::atomic<bool> has_some_{false};
    Guarded<Lost> lost_;
};

}  // namespace milena::env

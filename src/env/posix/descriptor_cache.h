// SPDX-License-Identifier: Apache-2.0
// The one bound on how many files are open, however many there are: a file's descriptor is opened
// when it is used and closed when it was used longest ago and another needs its place (a clock
// hand goes round the places). One that was written is synced before it is closed; a thread for
// each device does that ahead of need, for many files at once. Where that is too slow, files are
// opened beyond the bound, up to a second one; only there does who opens one wait, and not for
// long.
//
// Where other parts of the process, sockets say, leave the files less than their bound, they make
// do with what they have: a call that finds no descriptor closes one of the cache's and tries
// again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <thread>

#include "milena/env/files.h"
#include "milena/env/process.h"
#include "posix/file_names.h"
#include "posix/file_syncs.h"

namespace milena::env {

/// Thread-safe. Outlives its files.
class DescriptorCache {
public:
    /// At most `capacity` files are open, but for those in use at the same moment and, for a while,
    /// a quarter more where disks are slow.
    explicit DescriptorCache(std::size_t capacity);
    ~DescriptorCache();
    DescriptorCache(const DescriptorCache&) = delete;
    DescriptorCache& operator=(const DescriptorCache&) = delete;

    /// See FileSystem::open(). forget() follows when its owner needs the file no more.
    Result<std::shared_ptr<CachedFile>> open(const std::string& path, OpenMode mode);
    void forget(CachedFile& file);
    /// The file's descriptor, opened again if it was closed. An error if another file has its name
    /// now, or none.
    Result<DescriptorLease> lease(CachedFile& file) {
        if (file.take_lease()) return DescriptorLease(file);
        return lease_again(file);
    }
    /// The file's size, as its name tells, without a descriptor; nothing if that is not to be had.
    std::optional<std::uint64_t> size_by_name(const CachedFile& file);
    /// open(2) of what stays out of the cache.
    Result<Descriptor> open_descriptor(const std::string& path, int flags);
    /// Repeats `call`, which gives 0 or errno, while it fails for want of descriptors, and closes
    /// one of the cache's before each try.
    template <class Call>
    int with_room(Call call) {
        for (int tries = 0;; ++tries) {
            const int error_number = call();
            const bool lacks_room = error_number == EMFILE || error_number == ENFILE;
            if (!lacks_room || !make_room(tries)) return error_number;
        }
    }

    /// errno of rename(2), after which open files are found by their new names; or 0.
    int rename(const std::string& from, const std::string& to);
    /// `path` and all below it was removed.
    void mark_removed(const std::string& path);
    /// Has heard, from now on, of every write to the directory's file system that gets lost.
    void watch_file_system(const std::string& directory);

    /// Closes a few files, for a socket; false if there are none to spare. Does not wait.
    bool release_some();
    /// Each file that is opened costs another its descriptor.
    bool is_full() const {
        return open_.load(std::memory_order_relaxed) >= limit_.load(std::memory_order_relaxed);
    }
    DescriptorFigures figures() const;

private:
    enum class Outcome { closed_one, all_dirty, all_in_use };
    /// Syncs the files of one device, on a thread of its own: a disk that hangs has that one only.
    struct Syncer {
        bool is_wanted = false;
        bool is_urgent = false;  ///< no file can be closed before some are synced
        std::thread thread;
    };

    Result<DescriptorLease> lease_again(CachedFile& file);
    Result<Descriptor> reopen(CachedFile& file);
    Result<Descriptor> open_by_name(const CachedFile& file, const std::string& name);
    void take_place();
    void give_place_back();
    void spare_the_last(const Descriptor& opened);
    void lower_limit(std::size_t to);
    void raise_limit();
    void settle(CachedFile& file, std::shared_ptr<CachedFile> owner, Descriptor descriptor);
    void leave_place(CachedFile& file);
    bool make_room(int tries);
    Outcome close_one(Descriptor& closed);
    void await_syncs(std::unique_lock<std::mutex>& lock, std::chrono::milliseconds patience);
    void ask_for_syncs(bool is_urgent);
    void serve_syncs(std::uint64_t device, Syncer& syncer);
    std::vector<std::shared_ptr<CachedFile>> take_dirty(std::uint64_t device, bool is_urgent);

    const std::size_t capacity_;
    /// So many above the limit, who opens a file waits for a sync.
    const std::size_t beyond_max_;
    /// What is left of the capacity where others take descriptors; grows again little by little.
    /// Changed under the mutex.
    std::atomic<std::size_t> limit_;
    std::size_t uses_of_limit_ = 0;
    /// The first of the process's last descriptors.
    const std::size_t first_spared_;
    FileSyncs syncs_;
    LostFiles lost_files_;

    mutable std::mutex mutex_;
    FileNames names_;
    /// Those that are open; empty places are in free_places_.
    std::vector<std::shared_ptr<CachedFile>> places_;
    std::vector<std::size_t> free_places_;
    std::size_t hand_ = 0;
    /// Descriptors in places_, and those that are being opened. Changed under the mutex.
    std::atomic<std::size_t> open_{0};
    std::uint64_t files_opened_ = 0;

    /// Renames that run, and those that are over: a name that led nowhere is looked up again then.
    std::size_t renames_running_ = 0;
    std::uint64_t renames_done_ = 0;
    std::condition_variable renamed_;

    bool is_stopping_ = false;
    /// By device; one stays for as long as this lives.
    std::map<std::uint64_t, Syncer> syncers_;
    /// Files that are in use by threads that sync, and by nobody else for all that is known.
    std::size_t syncing_ = 0;
    std::uint64_t sync_rounds_ = 0;
    std::condition_variable syncs_wanted_;
    std::condition_variable synced_;

    std::uint64_t hits_ = 0;  ///< of files that were closed since
    std::uint64_t misses_ = 0;
    std::uint64_t evictions_ = 0;
    std::uint64_t dirty_evictions_ = 0;
};

/// How many files this process may have open at once, of the descriptors that it may have at all
/// (RLIMIT_NOFILE).
std::size_t descriptors_for_files();

}  // namespace milena::env

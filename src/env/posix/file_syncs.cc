// SPDX-License-Identifier: Apache-2.0
// The file system's own error counter (Linux 5.8) is what makes syncfs tell of a lost write; each
// open descriptor of it hears of each loss once.
#include "posix/file_syncs.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>

namespace milena::env {
namespace {

/// Fewer files are synced one by one: what others have written to the same file system is not
/// waited for then.
constexpr std::ptrdiff_t kOneByOne = 16;

}  // namespace

void FileSyncs::watch(Descriptor directory, std::uint64_t ordinal) {
    const auto identity = identify(directory);
    if (!identity) return;
    const std::lock_guard lock(mutex_);
    const bool is_watched = std::ranges::any_of(watches_, [&](const auto& watch) {
        return watch->device == identity->device && !watch->has_failed;
    });
    if (is_watched) return;
    const auto watch = std::make_shared<Watch>();
    watch->directory = std::move(directory);
    watch->device = identity->device;
    watch->ordinal = ordinal;
    watches_.push_back(watch);
}

bool FileSyncs::covers(const Watch& watch, const CachedFile& file) {
    return !watch.has_failed && watch.device == file.identity().device &&
           file.ordinal > watch.ordinal;
}

void FileSyncs::sync_together(Watch& watch, std::span<const std::shared_ptr<CachedFile>> files) {
    const auto set_dirty = [&](bool dirty) {
        for (const auto& file : files)
            if (covers(watch, *file)) file->set_dirty(dirty);
    };
    set_dirty(false);
    if (::syncfs(watch.directory.number()) == 0) return;
    set_dirty(true);
    watch.has_failed = true;
}

void FileSyncs::sync(std::span<const std::shared_ptr<CachedFile>> files) {
    std::vector<std::shared_ptr<Watch>> watches;
    {
        const std::lock_guard lock(mutex_);
        watches = watches_;
    }
    for (const auto& watch : watches) {
        const auto covered =
            std::ranges::count_if(files, [&](const auto& file) { return covers(*watch, *file); });
        if (covered >= kOneByOne) sync_together(*watch, files);
    }
    // Begun together, they are partly done when it is their turn.
    for (const auto& file : files)
        if (file->is_dirty()) ::sync_file_range(file->number(), 0, 0, SYNC_FILE_RANGE_WRITE);
    for (const auto& file : files)
        if (file->is_dirty()) (void)file->sync();
}

}  // namespace milena::env

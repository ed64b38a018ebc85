// SPDX-License-Identifier: Apache-2.0
// The slower half of a cached file: syncs, opening, closing.
#include "posix/cached_file.h"

#include <unistd.h>
#include <cerrno>

#include "milena/base/invariant.h"
#include "milena/env/files.h"

namespace milena::env {

Result<void> CachedFile::sync() {
    const std::lock_guard turn(turn_);
    // Before the sync: what is written meanwhile makes it dirty again.
    is_dirty_.store(false);
    // EINTR is no exception: the second call would report what is left, not what the first lost.
    if (!has_lost() && ::fdatasync(number()) < 0) lost_files_.add(identity_, errno);
    // Also after a success: another handle's sync may have been told meanwhile.
    if (has_lost()) return std::unexpected(loss());
    return ok();
}

Error CachedFile::loss() const {
    return storage_error("fdatasync", path_, lost_files_.error_of(identity_));
}

void CachedFile::put(Descriptor descriptor) {
    INVARIANT((word_.load(std::memory_order_relaxed) & kClosed) != 0, "a file is opened once");
    descriptor_ = std::move(descriptor);
    was_used_.store(false, std::memory_order_relaxed);
    word_.store(1, std::memory_order_release);
}

std::optional<Descriptor> CachedFile::close(std::uint64_t& hits) {
    std::uint64_t now = word_.load(std::memory_order_acquire);
    if ((now & (kUsers | kClosed)) != 0 || is_removed_) return std::nullopt;
    // Whoever writes after this look has taken a lease since the one above, and the word differs.
    if (is_dirty()) return std::nullopt;
    if (!word_.compare_exchange_strong(now, kClosed, std::memory_order_acquire))
        return std::nullopt;
    hits += now >> kHitShift;
    return std::move(descriptor_);
}

bool CachedFile::take_quiet_lease() {
    std::uint64_t now = word_.load(std::memory_order_relaxed);
    while ((now & kClosed) == 0) {
        if (word_.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) return true;
    }
    return false;
}

}  // namespace milena::env

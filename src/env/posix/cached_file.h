// SPDX-License-Identifier: Apache-2.0
// What one open File is to the descriptor cache: its name, which file that was, its descriptor
// while it has one, and whether bytes were written through it that no sync has covered. Whoever
// uses the descriptor holds a lease, which is one compare-and-swap to take and one subtraction to
// give back; a file without leases may be closed under its owner, and is opened again by its name.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "milena/base/result.h"
#include "posix/descriptor.h"
#include "posix/file_identity.h"
#include "posix/lost_files.h"

namespace milena::env {

class CachedFile : public std::enable_shared_from_this<CachedFile> {
public:
    CachedFile(std::string path, FileIdentity identity, bool is_read_only, LostFiles& lost_files)
        : path_(std::move(path)),
          identity_(identity),
          is_read_only_(is_read_only),
          lost_files_(lost_files) {}

    /// As it was opened, whatever it was renamed to.
    const std::string& path() const { return path_; }
    const FileIdentity& identity() const { return identity_; }
    bool is_read_only() const { return is_read_only_; }

    /// From any thread. False while the file has no descriptor. Until end_lease() it keeps the one
    /// that it has.
    bool take_lease() {
        std::uint64_t now = word_.load(std::memory_order_relaxed);
        while ((now & kClosed) == 0) {
            if (!word_.compare_exchange_weak(now, now + kHit + 1, std::memory_order_acquire,
                                             std::memory_order_relaxed))
                continue;
            if (!was_used_.load(std::memory_order_relaxed))
                was_used_.store(true, std::memory_order_relaxed);
            return true;
        }
        return false;
    }
    void end_lease() { word_.fetch_sub(1, std::memory_order_release); }
    /// Under a lease.
    int number() const { return descriptor_.number(); }

    /// After a write, before its lease ends.
    void note_written() {
        if (!is_dirty_.load(std::memory_order_relaxed)) is_dirty_.store(true);
    }
    bool is_dirty() const { return is_dirty_.load(); }
    /// Somebody else's sync is about to cover all that was written, or did not.
    void set_dirty(bool dirty) { is_dirty_.store(dirty); }
    /// fdatasync, under a lease. A failure is final: this and every later call give it, for every
    /// handle of the file.
    Result<void> sync();
    /// True after a sync of the file that failed, whoever asked for it, through any handle.
    bool has_lost() const { return lost_files_.error_of(identity_) != 0; }
    /// What that sync said.
    Error loss() const;

    /// Held by whoever opens the file again, so that two do not; and through every sync, so that
    /// none believes what another has been told otherwise.
    std::mutex& turn() { return turn_; }

    // The rest is the cache's, under its mutex.

    /// Becomes open, with one lease.
    void put(Descriptor descriptor);
    /// Whether it may be closed now: nobody uses it, and it can be opened again.
    bool is_idle() const {
        return (word_.load(std::memory_order_relaxed) & (kUsers | kClosed)) == 0 && !is_removed_;
    }
    /// True, once, if it was used since this was asked last.
    bool take_second_chance() { return was_used_.exchange(false, std::memory_order_relaxed); }
    bool was_used() const { return was_used_.load(std::memory_order_relaxed); }
    /// Its descriptor, if it is idle and clean. Adds its hits to `hits`.
    std::optional<Descriptor> close(std::uint64_t& hits);
    /// A lease that does not count as a use.
    bool take_quiet_lease();
    /// Leases that were given while it was open.
    std::uint64_t hits() const { return word_.load(std::memory_order_relaxed) >> kHitShift; }

    /// What it is called now.
    const std::string& name() const { return renamed_ ? *renamed_ : path_; }
    void rename(std::string name) {
        renamed_ = std::make_unique<const std::string>(std::move(name));
    }
    /// Nothing has its name any more, so it keeps its descriptor.
    void set_removed() { is_removed_ = true; }

    static constexpr std::size_t kNoSlot = SIZE_MAX;
    std::size_t slot = kNoSlot;
    /// Which of all files that were opened.
    std::uint64_t ordinal = 0;

private:
    // hits (40 bits) | closed (1) | users (23)
    static constexpr std::uint64_t kUsers = (1U << 23) - 1;
    static constexpr std::uint64_t kClosed = 1U << 23;
    static constexpr int kHitShift = 24;
    static constexpr std::uint64_t kHit = std::uint64_t{1} << kHitShift;

    std::atomic<std::uint64_t> word_{kClosed};
    std::atomic<bool> was_used_{false};
    std::atomic<bool> is_dirty_{false};
    bool is_removed_ = false;
    const std::string path_;
    const FileIdentity identity_;
    const bool is_read_only_;
    LostFiles& lost_files_;
    Descriptor descriptor_;
    std::unique_ptr<const std::string> renamed_;
    std::mutex turn_;
};

/// The use of a file's descriptor for as long as this lives, which the file must outlive.
class DescriptorLease {
public:
    DescriptorLease() = default;
    /// Takes over a lease that was taken.
    explicit DescriptorLease(CachedFile& leased) : file_(&leased) {}
    ~DescriptorLease() {
        if (file_ != nullptr) file_->end_lease();
    }
    DescriptorLease(DescriptorLease&& other) noexcept
        : file_(std::exchange(other.file_, nullptr)) {}
    DescriptorLease& operator=(DescriptorLease&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }

    explicit operator bool() const { return file_ != nullptr; }
    int number() const { return file_->number(); }

private:
    CachedFile* file_ = nullptr;
};

}  // namespace milena::env

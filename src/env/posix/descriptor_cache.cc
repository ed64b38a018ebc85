// SPDX-License-Identifier: Apache-2.0
// Opening, finding again, and closing what was used longest ago. No call to the system is made
// under the mutex, and each device's files are synced by a thread of its own, so a disk that hangs
// holds up those who want files of it; others only where its written files have all the places that
// there are, and then each for a moment.
#include "posix/descriptor_cache.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>

#include "work_pool.h"

namespace milena::env {
namespace {

/// Half of the descriptors are for sockets and everything else, but no more than this.
constexpr std::size_t kOthersMax = 8192;
constexpr std::size_t kFilesMin = 16;
/// The last descriptors are for what is open for a moment only.
constexpr std::size_t kSpared = 16;
/// Where those are met, so many files less are kept open; one more for so many that were closed.
constexpr std::size_t kLoweredBy = 8;
constexpr std::size_t kUsesBeforeRaise = 16;
/// Files that are closed at once where sockets need descriptors.
constexpr std::size_t kReleasedAtOnce = 16;
/// What the cache does not give up for sockets: a share of its capacity, at most so many.
constexpr std::size_t kKeptShare = 8;
constexpr std::size_t kKeptMax = 64;
/// How often, and how long between, descriptors are asked for that nobody here can give up: half a
/// minute on a thread of a pool, a fifth of a second on one that serves connections.
constexpr int kTriesMax = 3000;
constexpr int kTriesOnCoreMax = 20;
constexpr auto kPause = std::chrono::milliseconds(10);
/// Files that wait to be synced may go beyond the bound by a share of it. Then whoever opens one
/// waits for the next sync to end, so long at most, and opens it all the same: the system's own
/// bound comes after that.
constexpr std::size_t kBeyondShare = 4;
constexpr auto kSyncPatience = std::chrono::milliseconds(50);

int flags_of(OpenMode mode) {
    switch (mode) {
        case OpenMode::read_only: return O_RDONLY;
        case OpenMode::read_write: return O_RDWR;
        case OpenMode::create: return O_RDWR | O_CREAT;
        case OpenMode::create_empty: return O_RDWR | O_CREAT | O_TRUNC;
    }
    return O_RDONLY;
}

std::size_t descriptors_max() {
    ::rlimit limit{};
    constexpr std::size_t kUnknown = 1024;
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::size_t{limit.rlim_cur} : kUnknown;
}

/// Half of what is left to everything else stays that.
std::size_t beyond(std::size_t capacity) {
    const std::size_t others = std::max(descriptors_max(), capacity) - capacity;
    return std::min(capacity / kBeyondShare, others / 2);
}

std::unexpected<Error> failed(std::string_view call, const std::string& path, int error_number) {
    return std::unexpected<Error>(storage_error(call, path, error_number));
}

}  // namespace

std::size_t descriptors_for_files() {
    const std::size_t all = descriptors_max();
    return std::max(all - std::min(all / 2, kOthersMax), kFilesMin);
}

DescriptorCache::DescriptorCache(std::size_t capacity)
    : capacity_(capacity),
      beyond_max_(beyond(capacity)),
      limit_(capacity),
      first_spared_(std::max(descriptors_max(), 2 * kSpared) - kSpared) {}

DescriptorCache::~DescriptorCache() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    syncs_wanted_.notify_all();
    for (auto& [device, syncer] : syncers_)
        if (syncer.thread.joinable()) syncer.thread.join();
}

Result<Descriptor> DescriptorCache::open_descriptor(const std::string& path, int flags) {
    Descriptor opened;
    const int error_number = with_room([&] {
        do {
            opened = Descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0644));
        } while (!opened && errno == EINTR);
        return opened ? 0 : errno;
    });
    if (error_number != 0) return failed("open", path, error_number);
    return opened;
}

Result<std::shared_ptr<CachedFile>> DescriptorCache::open(const std::string& path, OpenMode mode) {
    take_place();
    auto descriptor = open_descriptor(path, flags_of(mode));
    const auto identity = descriptor ? identify(*descriptor) : std::unexpected(0);
    if (!identity) {
        give_place_back();
        return descriptor ? failed("statx", path, identity.error())
                          : std::unexpected(std::move(descriptor).error());
    }
    spare_the_last(*descriptor);
    auto file =
        std::make_shared<CachedFile>(path, *identity, mode == OpenMode::read_only, lost_files_);
    const std::lock_guard lock(mutex_);
    file->ordinal = ++files_opened_;
    names_.add(*file);
    settle(*file, file, *std::move(descriptor));
    file->end_lease();
    return file;
}

void DescriptorCache::forget(CachedFile& file) {
    const std::lock_guard lock(mutex_);
    names_.remove(file);
    if (file.slot == CachedFile::kNoSlot) return;
    hits_ += file.hits();
    leave_place(file);
}

/// Under the mutex, in a place that was taken.
void DescriptorCache::settle(CachedFile& file, std::shared_ptr<CachedFile> owner,
                             Descriptor descriptor) {
    if (free_places_.empty()) {
        free_places_.push_back(places_.size());
        places_.emplace_back();
    }
    file.slot = free_places_.back();
    free_places_.pop_back();
    syncers_.try_emplace(file.identity().device);
    places_[file.slot] = std::move(owner);
    file.put(std::move(descriptor));
}

/// Under the mutex.
void DescriptorCache::leave_place(CachedFile& file) {
    const std::size_t slot = std::exchange(file.slot, CachedFile::kNoSlot);
    free_places_.push_back(slot);
    --open_;
    places_[slot].reset();
}

/// Counts one more file as open, and closes another for it where there are enough, or two where
/// there are too many.
void DescriptorCache::take_place() {
    std::array<Descriptor, 2> closed;  // after the mutex is released
    std::unique_lock lock(mutex_);
    if (open_ >= limit_) {
        raise_limit();
        Outcome outcome = close_one(closed[0]);
        if (outcome == Outcome::all_dirty && open_ >= limit_ + beyond_max_) {
            await_syncs(lock, kSyncPatience);
            outcome = close_one(closed[0]);
        }
        if (outcome == Outcome::closed_one && open_ >= limit_) outcome = close_one(closed[1]);
        if (outcome == Outcome::all_dirty) ask_for_syncs(true);
    }
    ++open_;
}

/// Under the mutex.
void DescriptorCache::lower_limit(std::size_t to) {
    const std::size_t kept = std::min(capacity_ / kKeptShare, kKeptMax);
    limit_ = std::clamp<std::size_t>(to, std::max<std::size_t>(kept, 1), limit_);
    uses_of_limit_ = 0;
}

/// Under the mutex, whenever a file is closed for another.
void DescriptorCache::raise_limit() {
    if (limit_ >= capacity_ || ++uses_of_limit_ < kUsesBeforeRaise) return;
    uses_of_limit_ = 0;
    ++limit_;
}

void DescriptorCache::give_place_back() {
    const std::lock_guard lock(mutex_);
    --open_;
}

/// The system gives out the lowest number that is free: a high one tells that most are taken, by
/// sockets then, and that the files have to do with fewer.
void DescriptorCache::spare_the_last(const Descriptor& opened) {
    if (static_cast<std::size_t>(opened.number()) < first_spared_) return;
    Descriptor closed;
    const std::lock_guard lock(mutex_);
    lower_limit(open_ - std::min(open_.load(), kLoweredBy));
    if (close_one(closed) == Outcome::all_dirty) ask_for_syncs(true);
}

Result<DescriptorLease> DescriptorCache::lease_again(CachedFile& file) {
    const std::lock_guard turn(file.turn());
    if (file.take_lease()) return DescriptorLease(file);
    take_place();
    auto descriptor = reopen(file);
    if (!descriptor) {
        give_place_back();
        return std::unexpected(std::move(descriptor).error());
    }
    spare_the_last(*descriptor);
    const std::lock_guard lock(mutex_);
    ++misses_;
    settle(file, file.shared_from_this(), *std::move(descriptor));
    return DescriptorLease(file);
}

Result<Descriptor> DescriptorCache::reopen(CachedFile& file) {
    for (;;) {
        std::unique_lock lock(mutex_);
        const std::uint64_t renames = renames_done_;
        const std::string name = file.name();
        lock.unlock();
        auto opened = open_by_name(file, name);
        if (opened) return opened;
        lock.lock();
        if (renames_running_ == 0 && renames_done_ == renames) return opened;
        renamed_.wait(lock, [&] { return renames_running_ == 0 || renames_done_ != renames; });
    }
}

/// The file, if that is what the name means.
Result<Descriptor> DescriptorCache::open_by_name(const CachedFile& file, const std::string& name) {
    auto opened = open_descriptor(name, file.is_read_only() ? O_RDONLY : O_RDWR);
    // It was made read-only since: it may still be read and synced.
    if (!opened && !file.is_read_only() && opened.error().why.ends_with("(EACCES)"))
        opened = open_descriptor(name, O_RDONLY);
    if (!opened) return opened;
    const auto identity = identify(*opened);
    if (!identity) return failed("statx", name, identity.error());
    if (*identity != file.identity()) return failed("open", name, ESTALE);
    return opened;
}

std::optional<std::uint64_t> DescriptorCache::size_by_name(const CachedFile& file) {
    std::unique_lock lock(mutex_);
    const std::string name = file.name();
    lock.unlock();
    const auto status = status_by_name(name);
    if (!status || status->identity != file.identity()) return std::nullopt;
    return status->size;
}

int DescriptorCache::rename(const std::string& from, const std::string& to) {
    {
        const std::lock_guard lock(mutex_);
        ++renames_running_;
    }
    const int error_number = ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
    {
        const std::lock_guard lock(mutex_);
        --renames_running_;
        ++renames_done_;
        if (error_number == 0) names_.rename(from, to);
    }
    renamed_.notify_all();
    return error_number;
}

void DescriptorCache::mark_removed(const std::string& path) {
    const std::lock_guard lock(mutex_);
    names_.mark_removed(path);
}

void DescriptorCache::watch_file_system(const std::string& directory) {
    auto opened = open_descriptor(directory, O_RDONLY | O_DIRECTORY);
    if (!opened) return;  // then its files are synced one by one
    const std::uint64_t ordinal = [&] {
        const std::lock_guard lock(mutex_);
        return files_opened_;
    }();
    syncs_.watch(*std::move(opened), ordinal);
}

/// Under the mutex. Goes on from where the hand stands; who was used since it passed last is passed
/// once more.
DescriptorCache::Outcome DescriptorCache::close_one(Descriptor& closed) {
    bool met_dirty = false;
    for (std::size_t steps = 2 * places_.size(); steps > 0; --steps) {
        hand_ = hand_ + 1 < places_.size() ? hand_ + 1 : 0;
        CachedFile* const file = places_[hand_].get();
        if (file == nullptr || !file->is_idle() || file->take_second_chance()) continue;
        met_dirty |= file->is_dirty();
        auto descriptor = file->close(hits_);
        if (!descriptor) continue;
        closed = *std::move(descriptor);
        leave_place(*file);
        ++evictions_;
        // The hand comes there soon; until then it can be clean.
        const auto& ahead = places_[(hand_ + places_.size() / 4) % places_.size()];
        if (met_dirty || (ahead != nullptr && ahead->is_dirty())) ask_for_syncs(false);
        return Outcome::closed_one;
    }
    return met_dirty || syncing_ > 0 ? Outcome::all_dirty : Outcome::all_in_use;
}

bool DescriptorCache::make_room(int tries) {
    if (tries >= (is_pool_thread() ? kTriesMax : kTriesOnCoreMax)) return false;
    Descriptor closed;
    std::unique_lock lock(mutex_);
    lower_limit(open_ - std::min<std::size_t>(open_, 1));
    switch (close_one(closed)) {
        case Outcome::closed_one: return true;
        case Outcome::all_dirty: await_syncs(lock, kPause); return true;
        case Outcome::all_in_use: break;
    }
    lock.unlock();
    std::this_thread::sleep_for(kPause);
    return true;
}

bool DescriptorCache::release_some() {
    std::array<Descriptor, kReleasedAtOnce> closed;
    std::size_t count = 0;
    const std::size_t kept = std::min(capacity_ / kKeptShare, kKeptMax);
    const std::lock_guard lock(mutex_);
    while (count < closed.size() && open_ > kept) {
        const Outcome outcome = close_one(closed[count]);
        if (outcome == Outcome::all_dirty) ask_for_syncs(true);
        if (outcome != Outcome::closed_one) break;
        ++count;
    }
    if (count > 0) lower_limit(open_);
    return count > 0;
}

/// Under the mutex, which is free while it waits: until a round of syncs is over, or too long.
void DescriptorCache::await_syncs(std::unique_lock<std::mutex>& lock,
                                  std::chrono::milliseconds patience) {
    const std::uint64_t round = sync_rounds_;
    ask_for_syncs(true);
    synced_.wait_for(lock, patience, [&] { return sync_rounds_ != round; });
}

/// Under the mutex. A device with a round under way makes another after it.
void DescriptorCache::ask_for_syncs(bool is_urgent) {
    bool is_new = false;
    for (auto& [device, syncer] : syncers_) {
        syncer.is_urgent |= is_urgent;
        if (std::exchange(syncer.is_wanted, true)) continue;
        is_new = true;
        if (syncer.thread.joinable()) continue;
        syncer.thread = std::thread([this, of = device, &its = syncer] { serve_syncs(of, its); });
    }
    if (is_new) syncs_wanted_.notify_all();
}

/// Under the mutex: what of the device the hand comes to next and was written, with a lease on
/// each; of all places, if that is urgent, and of those too that were used since.
std::vector<std::shared_ptr<CachedFile>> DescriptorCache::take_dirty(std::uint64_t device,
                                                                     bool is_urgent) {
    std::vector<std::shared_ptr<CachedFile>> taken;
    const std::size_t taken_max = (places_.size() + 1) / 2;
    const std::size_t steps = is_urgent ? places_.size() : taken_max;
    for (std::size_t step = 1; step <= steps && taken.size() < taken_max; ++step) {
        const auto& file = places_[(hand_ + step) % places_.size()];
        if (file == nullptr || file->identity().device != device || !file->is_dirty()) continue;
        if (file->was_used() && !is_urgent) continue;
        if (file->take_quiet_lease()) taken.push_back(file);
    }
    dirty_evictions_ += taken.size();
    return taken;
}

void DescriptorCache::serve_syncs(std::uint64_t device, Syncer& syncer) {
    ::pthread_setname_np(::pthread_self(), "descriptors");
    std::unique_lock lock(mutex_);
    for (;;) {
        syncs_wanted_.wait(lock, [&] { return syncer.is_wanted || is_stopping_; });
        if (is_stopping_) return;
        syncer.is_wanted = false;
        auto files = take_dirty(device, std::exchange(syncer.is_urgent, false));
        if (files.empty()) continue;
        const std::size_t count = files.size();
        syncing_ += count;
        lock.unlock();
        syncs_.sync(files);
        for (const auto& file : files) file->end_lease();
        files.clear();  // the last owner of one closes it: not under the mutex
        lock.lock();
        syncing_ -= count;
        ++sync_rounds_;
        synced_.notify_all();
    }
}

DescriptorFigures DescriptorCache::figures() const {
    const std::lock_guard lock(mutex_);
    DescriptorFigures figures{.open = open_,
                              .open_max = capacity_,
                              .hits = hits_,
                              .misses = misses_,
                              .evictions = evictions_,
                              .dirty_evictions = dirty_evictions_};
    for (const auto& file : places_)
        if (file != nullptr) figures.hits += file->hits();
    return figures;
}

}  // namespace milena::env

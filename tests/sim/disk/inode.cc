// SPDX-License-Identifier: Apache-2.0
// The bytes of a file and what a power cut leaves of those that were not synced.
#include "sim/disk/inode.h"

#include <algorithm>

namespace milena::sim {
namespace {

/// More dirty changes than this and the oldest are written back, as a kernel does, so a log without
/// syncs stays small.
constexpr std::size_t kDirtyChangesMax = 1024;
/// Disks write whole sectors; a torn write ends at the border of one, or, on those that lie, at any
/// byte.
constexpr std::uint64_t kSectorBytes = 512;

enum class Fate { kept, lost, torn };

Fate draw_fate(SeededRandom& random) {
    switch (random.below(4)) {
        case 0: return Fate::lost;
        case 1: return Fate::torn;
        default: return Fate::kept;
    }
}

}  // namespace

void FileContent::apply(const Change& change, FileBytes& to) {
    if (change.is_truncate) {
        to.resize(change.position);
        return;
    }
    const std::uint64_t end = change.position + change.bytes.size();
    if (to.size() < end) to.resize(end);
    std::ranges::copy(change.bytes, to.begin() + static_cast<std::ptrdiff_t>(change.position));
}

void FileContent::add(Change change) {
    ++version_;
    if (change.is_truncate || change.position != visible_.size()) ++rewrites_;
    apply(change, visible_);
    dirty_.push_back(std::move(change));
    if (dirty_.size() > kDirtyChangesMax) {
        apply(dirty_.front(), durable_);
        dirty_.pop_front();
    }
}

void FileContent::write(std::uint64_t position, BytesView bytes) {
    if (!bytes.empty()) add({position, FileBytes(bytes.begin(), bytes.end()), false});
}

void FileContent::truncate(std::uint64_t size) {
    add({size, {}, true});
}

std::uint64_t FileContent::durable_prefix() const {
    std::uint64_t prefix = std::min<std::uint64_t>(unknown_from_, durable_.size());
    for (const Change& change : dirty_) prefix = std::min(prefix, change.position);
    return prefix;
}

void FileContent::sync() {
    ++version_;
    for (const Change& change : dirty_) apply(change, durable_);
    dirty_.clear();
}

void FileContent::write_back(SeededRandom& random) {
    ++version_;
    for (Change& change : dirty_) {
        const Fate fate = draw_fate(random);
        if (fate != Fate::kept) unknown_from_ = std::min(unknown_from_, change.position);
        if (fate == Fate::lost) continue;
        if (fate == Fate::torn && !change.is_truncate) {
            std::uint64_t kept = random.below(change.bytes.size() + 1);
            if (random.chance(0.5)) kept = kept / kSectorBytes * kSectorBytes;
            change.bytes.resize(kept);
        }
        apply(change, durable_);
    }
    dirty_.clear();
}

void FileContent::fail_sync(SeededRandom& random) {
    write_back(random);
}

void FileContent::lose_power(SeededRandom& random) {
    if (!dirty_.empty() || unknown_from_ != UINT64_MAX) ++rewrites_;
    write_back(random);
    visible_ = durable_;
    unknown_from_ = UINT64_MAX;
}

void FileContent::flip_bit(std::uint64_t bit) {
    const std::uint64_t at = bit / 8;
    const auto mask = static_cast<std::byte>(1U << bit % 8);
    if (at < visible_.size()) visible_[at] ^= mask;
    if (at < durable_.size()) durable_[at] ^= mask;
}

}  // namespace milena::sim

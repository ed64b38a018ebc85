// SPDX-License-Identifier: Apache-2.0
// Open addressing: a hash lies in the first free slot from its own on.
#include "cleaner/offset_map.h"

#include <algorithm>

namespace milena::storage {
namespace {

constexpr std::size_t kSlotsAtFirst = 1024;
constexpr double kLoadMin = 0.05;
constexpr double kLoadMax = 0.95;

/// The slot of a hash, evenly over any number of them.
std::size_t slot_of(const KeyHash& hash, std::size_t slots) {
    return static_cast<std::size_t>((static_cast<unsigned __int128>(hash.low) * slots) >> 64);
}

}  // namespace

OffsetMap::OffsetMap(std::uint64_t bytes_max, double load_factor,
                     const std::array<std::uint64_t, 2>& secret)
    : slots_max_(std::max<std::size_t>(bytes_max / kEntryBytes, kSlotsAtFirst)),
      load_factor_(std::clamp(load_factor, kLoadMin, kLoadMax)),
      secret_(secret),
      table_(kSlotsAtFirst),
      room_(keys_in(kSlotsAtFirst)) {}

std::size_t OffsetMap::keys_in(std::size_t slots) const {
    return static_cast<std::size_t>(static_cast<double>(slots) * load_factor_);
}

std::size_t OffsetMap::place(const std::vector<Entry>& table, const KeyHash& hash) const {
    std::size_t at = slot_of(hash, table.size());
    while (table[at].offset >= 0 && table[at].hash != hash)
        at = at + 1 == table.size() ? 0 : at + 1;
    return at;
}

std::size_t OffsetMap::next_slots(std::size_t slots) const {
    constexpr std::size_t kGrowth = 2;
    const std::size_t next = std::min(slots * kGrowth, slots_max_ - std::min(slots, slots_max_));
    return std::max(next, slots);
}

bool OffsetMap::grow() {
    const std::size_t slots = next_slots(table_.size());
    if (slots == table_.size()) return false;
    std::vector<Entry> larger(slots);
    for (const Entry& entry : table_) {
        if (entry.offset >= 0) larger[place(larger, entry.hash)] = entry;
    }
    table_ = std::move(larger);
    room_ = keys_in(slots);
    return true;
}

bool OffsetMap::put(BytesView key, Offset offset) {
    const KeyHash hash = hash_key(secret_, key);
    std::size_t at = place(table_, hash);
    if (table_[at].offset < 0) {
        if (size_ >= room_) {
            if (!grow()) return false;
            at = place(table_, hash);
        }
        ++size_;
    }
    table_[at] = {hash, std::max(table_[at].offset, offset.value)};
    raise_latest(offset);
    return true;
}

Offset OffsetMap::find(BytesView key) const {
    return Offset(table_[place(table_, hash_key(secret_, key))].offset);
}

double OffsetMap::utilisation() const {
    std::size_t slots = table_.size();
    while (next_slots(slots) > slots) slots = next_slots(slots);
    return static_cast<double>(size_) /
           static_cast<double>(std::max<std::size_t>(keys_in(slots), 1));
}

}  // namespace milena::storage

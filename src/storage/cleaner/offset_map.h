// SPDX-License-Identifier: Apache-2.0
// The last offset of each key in the dirty part of a log, in memory of bounded size: a table of key
// hashes, 24 bytes an entry, that grows as it fills. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cleaner/key_hash.h"
#include "milena/base/ids.h"

namespace milena::storage {

class OffsetMap {
public:
    static constexpr std::size_t kEntryBytes = 24;

    /// `load_factor`: how full it may become. While it grows the old table counts too, so that of
    /// `bytes_max` up to a third may stay unused. There is always room for some keys.
    OffsetMap(std::uint64_t bytes_max, double load_factor,
              const std::array<std::uint64_t, 2>& secret);

    /// The key's last offset so far. False if it is new and there is no room for it: the map is as
    /// it was.
    bool put(BytesView key, Offset offset);
    /// −1 for a key that it does not have.
    Offset find(BytesView key) const;

    /// All that the map has of the log lies at or below it; −1: nothing yet.
    Offset latest() const { return latest_; }
    void raise_latest(Offset offset) { latest_ = std::max(latest_, offset); }

    std::size_t size() const { return size_; }
    std::uint64_t memory_bytes() const { return table_.size() * kEntryBytes; }
    /// Of all that it can hold.
    double utilisation() const;

private:
    struct Entry {
        KeyHash hash;
        std::int64_t offset = -1;  ///< −1: free
    };
    static_assert(sizeof(Entry) == kEntryBytes);

    /// Where the hash is, or would be.
    std::size_t place(const std::vector<Entry>& table, const KeyHash& hash) const;
    std::size_t keys_in(std::size_t slots) const;
    bool grow();
    /// Of the next table; as many as there are when it can't grow.
    std::size_t next_slots(std::size_t slots) const;

    std::size_t slots_max_;
    double load_factor_;
    std::array<std::uint64_t, 2> secret_;
    std::vector<Entry> table_;
    std::size_t size_ = 0;
    std::size_t room_ = 0;  ///< keys that the table may hold
    Offset latest_{-1};
};

}  // namespace milena::storage

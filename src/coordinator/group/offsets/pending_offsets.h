// SPDX-License-Identifier: Apache-2.0
// Commits that the state store does not have yet: for each key the last one, by the offset of its
// record. What is in here goes before what the store says.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "milena/coordinator/record.h"

namespace milena::coordinator {

/// What the store has, to look keys up.
using StoredByKey = std::map<std::string_view, BytesView>;
StoredByKey by_key(std::span<const RecordView> stored);

class PendingOffsets {
public:
    /// Commits that may wait for the store, and what their keys and values may take; with more none
    /// are taken.
    static constexpr std::size_t kCountMax = 1'000'000;
    static constexpr std::size_t kBytesMax = 512UL << 20;

    void note(const RecordView& record);
    /// The store has all below it.
    void forget_below(Offset applied);

    bool has(std::string_view key) const { return by_key_.contains(key); }
    /// The last that was said of the key is that it is gone.
    bool is_gone(std::string_view key) const;
    std::size_t count() const { return by_key_.size(); }
    bool is_full() const { return count() >= kCountMax || bytes_ >= kBytesMax; }
    /// Commits that are remembered in their order: no more than twice the keys, and some.
    std::size_t order_size() const { return by_offset_.size(); }
    /// The groups that have some, not as tombstones.
    std::vector<std::string> groups() const;
    /// Of the group whose keys begin so: some are waiting, not as tombstones.
    bool has_any(BytesView prefix) const;

    /// What is true of all keys that begin so, in their order: what is in here, and of `stored`
    /// (in order too) what is not. Without those that are gone.
    std::vector<RecordView> with(std::span<const RecordView> stored, BytesView prefix) const;
    /// The same of one key.
    std::optional<BytesView> value_of(BytesView key, const StoredByKey& stored) const;

private:
    struct Last {
        std::optional<std::vector<std::byte>> value;
        Offset offset;
    };
    using ByKey = std::map<std::string, Last, std::less<>>;

    static std::size_t size_of(const Last& last) { return last.value ? last.value->size() : 0; }

    ByKey by_key_;
    std::size_t bytes_ = 0;
    std::deque<std::pair<Offset, ByKey::iterator>> by_offset_;
};

}  // namespace milena::coordinator

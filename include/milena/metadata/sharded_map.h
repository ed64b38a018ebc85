// SPDX-License-Identifier: Apache-2.0
// An ordered map that is never changed: an Editor makes the next one from it and copies only the
// shards it touches, so a change costs a shard (at most kShardMax entries) and the list of shards,
// not the map. A shard is a sorted run of neighbouring keys; readers walk, and page through, the
// whole in key order.
//
//   list of shards  [ *  *  * ]           next list  [ *  *  * ]
//                     |  |  |                          |  |  |
//                   a..f g..m n..z   <-- shared --    a..f | n..z
//                                                     g..m' (the one that changed)
//
// Maps are plain values; any number of threads may read one. An Editor belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "milena/base/invariant.h"

namespace milena::metadata {

template <class K, class V, std::size_t ShardMax = 64>
class ShardedMap {
public:
    using Entry = std::pair<K, V>;
    /// Entries at which a shard is cut in two halves.
    static constexpr std::size_t kShardMax = ShardMax;

    class Iterator;
    class Editor;

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }

    /// The value of `key`, null if there is none; lives as long as a map that holds it. `Q` is
    /// anything that compares with K.
    template <class Q>
    const V* find(const Q& key) const {
        const Iterator at = lower_bound(key);
        return at != end() && !(key < at->first) ? &at->second : nullptr;
    }
    template <class Q>
    bool contains(const Q& key) const {
        return find(key) != nullptr;
    }
    /// The value of `key`, which is there.
    template <class Q>
    const V& at(const Q& key) const {
        const V* const value = find(key);
        INVARIANT(value != nullptr, "no such key");
        return *value;
    }

    Iterator begin() const { return Iterator(&shards(), 0, 0); }
    Iterator end() const { return Iterator(&shards(), shards().size(), 0); }
    /// The first entry whose key is not below `key`.
    template <class Q>
    Iterator lower_bound(const Q& key) const {
        const Shards& all = shards();
        const auto shard = std::partition_point(
            all.begin(), all.end(), [&](const auto& s) { return s->back().first < key; });
        if (shard == all.end()) return end();
        return Iterator(&all, static_cast<std::size_t>(shard - all.begin()),
                        position(**shard, key));
    }

    bool operator==(const ShardedMap& other) const {
        return equal(other, [](const V& a, const V& b) { return a == b; });
    }
    /// Same keys, and `same(value, value)` for each. Shards that both share are not looked at.
    template <class Same>
    bool equal(const ShardedMap& other, const Same& same) const {
        if (list_ == other.list_) return true;
        if (size_ != other.size_) return false;
        for (Iterator a = begin(), b = other.begin(); a != end(); step_both(a, b)) {
            if (!(a->first == b->first) || !same(a->second, b->second)) return false;
        }
        return true;
    }

    /// Calls `each(key, old, now)` in key order for every key whose values are not the same object
    /// in memory; the pointer is null on the side that lacks it. Shards that both share are not
    /// looked at, so equal values may be told.
    template <class Each>
    void for_each_difference(const ShardedMap& now, const Each& each) const {
        static constexpr const V* kAbsent = nullptr;
        if (list_ == now.list_) return;
        Iterator a = begin();
        Iterator b = now.begin();
        skip_shared(a, b);
        while (a != end() || b != now.end()) {
            if (b == now.end() || (a != end() && a->first < b->first)) {
                each(a->first, &a->second, kAbsent);
                ++a;
            } else if (a == end() || b->first < a->first) {
                each(b->first, kAbsent, &b->second);
                ++b;
            } else {
                each(a->first, &a->second, &b->second);
                ++a;
                ++b;
            }
            skip_shared(a, b);
        }
    }

private:
    using Shard = std::vector<Entry>;
    using Shards = std::vector<std::shared_ptr<const Shard>>;

    const Shards& shards() const {
        static const Shards kNone;
        return list_ ? *list_ : kNone;
    }
    template <class Q>
    static std::size_t position(const Shard& shard, const Q& key) {
        const auto at = std::partition_point(shard.begin(), shard.end(),
                                             [&](const Entry& entry) { return entry.first < key; });
        return static_cast<std::size_t>(at - shard.begin());
    }

    /// Over whole shards while both are at the start of the same one.
    static void skip_shared(Iterator& a, Iterator& b) {
        while (a.position_ == 0 && b.position_ == 0 && a.shard_ < a.shards_->size() &&
               b.shard_ < b.shards_->size() && (*a.shards_)[a.shard_] == (*b.shards_)[b.shard_]) {
            ++a.shard_;
            ++b.shard_;
        }
    }
    static void step_both(Iterator& a, Iterator& b) {
        ++a;
        ++b;
        skip_shared(a, b);
    }

    std::shared_ptr<const Shards> list_;
    std::size_t size_ = 0;
};

/// Walks a map in key order; valid as long as the map it came from.
template <class K, class V, std::size_t ShardMax>
class ShardedMap<K, V, ShardMax>::Iterator {
public:
    using value_type = Entry;
    using reference = const Entry&;
    using pointer = const Entry*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    Iterator() = default;
    reference operator*() const { return (*(*shards_)[shard_])[position_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
        if (++position_ == (*shards_)[shard_]->size()) {
            ++shard_;
            position_ = 0;
        }
        return *this;
    }
    Iterator operator++(int) {
        const Iterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Iterator&) const = default;

private:
    friend class ShardedMap;
    Iterator(const Shards* shards, std::size_t shard, std::size_t position)
        : shards_(shards), shard_(shard), position_(position) {}

    const Shards* shards_ = nullptr;
    std::size_t shard_ = 0;
    std::size_t position_ = 0;
};

/// Makes the next map. The shards it has copied are its own until finish(), so many changes to one
/// shard copy it once.
template <class K, class V, std::size_t ShardMax>
class ShardedMap<K, V, ShardMax>::Editor {
public:
    explicit Editor(const ShardedMap& base) : size_(base.size_) {
        shards_.reserve(base.shards().size());
        for (const auto& shard : base.shards()) shards_.push_back({shard, nullptr});
    }
    Editor(Editor&&) noexcept = default;
    Editor& operator=(Editor&&) noexcept = default;

    std::size_t size() const { return size_; }

    /// As ShardedMap::find; the pointer is good until the next change.
    template <class Q>
    const V* find(const Q& key) const {
        const std::size_t at = shard_of(key);
        if (at == shards_.size()) return nullptr;
        const Shard& shard = *shards_[at].shared;
        const std::size_t position = ShardedMap::position(shard, key);
        return position < shard.size() && !(key < shard[position].first) ? &shard[position].second
                                                                         : nullptr;
    }

    /// The value of `key` to be changed in place, null if there is none; good until the next call.
    template <class Q>
    V* edit(const Q& key) {
        if (find(key) == nullptr) return nullptr;
        Shard& shard = own(shard_of(key));
        return &shard[ShardedMap::position(shard, key)].second;
    }

    void set(K key, V value) {
        if (V* const old = edit(key)) {
            *old = std::move(value);
            return;
        }
        if (shards_.empty()) shards_.push_back(Slot::make({}));
        const std::size_t at = std::min(shard_of(key), shards_.size() - 1);
        Shard& shard = own(at);
        const auto position = static_cast<std::ptrdiff_t>(ShardedMap::position(shard, key));
        const bool is_last =
            at + 1 == shards_.size() && position == static_cast<std::ptrdiff_t>(shard.size());
        ++size_;
        // Keys that come in their order fill one shard after the other.
        if (is_last && shard.size() == kShardMax) {
            shards_.push_back(Slot::make({}));
            shards_.back().owned->emplace_back(std::move(key), std::move(value));
            return;
        }
        shard.insert(shard.begin() + position, Entry(std::move(key), std::move(value)));
        if (shard.size() > kShardMax) split(at);
    }

    /// False if there was no such key.
    template <class Q>
    bool erase(const Q& key) {
        if (find(key) == nullptr) return false;
        const std::size_t at = shard_of(key);
        Shard& shard = own(at);
        shard.erase(shard.begin() + static_cast<std::ptrdiff_t>(ShardedMap::position(shard, key)));
        --size_;
        if (shard.empty()) {
            shards_.erase(shards_.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (shard.size() < kShardMax / 4) {
            join_next(at);
        }
        return true;
    }

    /// The map as it stands; the editor is used up.
    ShardedMap finish() && {
        auto list = std::make_shared<Shards>();
        list->reserve(shards_.size());
        for (Slot& slot : shards_) {
            // A shard lives as long as nothing in it changes: no room is kept for more.
            if (slot.owned != nullptr) slot.owned->shrink_to_fit();
            list->push_back(std::move(slot.shared));
        }
        ShardedMap map;
        map.list_ = std::move(list);
        map.size_ = size_;
        return map;
    }

private:
    struct Slot {
        std::shared_ptr<const Shard> shared;
        /// The same shard, if this editor made it and nobody else can see it yet.
        Shard* owned = nullptr;

        static Slot make(Shard entries) {
            auto shard = std::make_shared<Shard>(std::move(entries));
            Shard* const owned = shard.get();
            return {std::move(shard), owned};
        }
    };

    /// The shard whose range `key` falls into: the first whose last key is not below it.
    template <class Q>
    std::size_t shard_of(const Q& key) const {
        const auto at = std::partition_point(shards_.begin(), shards_.end(), [&](const Slot& slot) {
            return slot.shared->empty() || slot.shared->back().first < key;
        });
        return static_cast<std::size_t>(at - shards_.begin());
    }
    Shard& own(std::size_t at) {
        Slot& slot = shards_[at];
        if (slot.owned == nullptr) slot = Slot::make(*slot.shared);
        return *slot.owned;
    }
    /// Deletions leave small shards; two neighbours that fill half a shard become one.
    void join_next(std::size_t at) {
        if (at + 1 == shards_.size()) return;
        const Shard& next = *shards_[at + 1].shared;
        Shard& shard = own(at);
        if (shard.size() + next.size() > kShardMax / 2) return;
        shard.insert(shard.end(), next.begin(), next.end());
        shards_.erase(shards_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    void split(std::size_t at) {
        Shard& low = *shards_[at].owned;
        const auto middle = low.begin() + static_cast<std::ptrdiff_t>(low.size() / 2);
        Shard high(std::make_move_iterator(middle), std::make_move_iterator(low.end()));
        low.erase(middle, low.end());
        shards_.insert(shards_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                       Slot::make(std::move(high)));
    }

    std::vector<Slot> shards_;
    std::size_t size_ = 0;
};

}  // namespace milena::metadata

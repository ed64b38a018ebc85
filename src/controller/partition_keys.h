// SPDX-License-Identifier: Apache-2.0
// A set of partitions in their order, in little memory: of these sets a controller has one for each
// broker, and a partition stands in as many of them as it has replicas.
//
//   chunks  [ * * * ]   each a sorted run of at most kChunkMax keys; a change moves one chunk
#pragma once

#include <cstddef>
#include <iterator>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/uuid.h"

namespace milena::controller {

struct PartitionKey {
    Uuid topic;
    PartitionIndex partition;

    auto operator<=>(const PartitionKey&) const = default;
};

class PartitionKeys {
public:
    static constexpr std::size_t kChunkMax = 128;
    class Iterator;

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    bool contains(const PartitionKey& key) const;
    /// False if it was there already.
    bool insert(const PartitionKey& key);
    /// False if it was not there.
    bool erase(const PartitionKey& key);

    /// In order; good until the next change.
    Iterator begin() const;
    Iterator end() const;

    /// The same keys, however they came in.
    bool operator==(const PartitionKeys& other) const;

private:
    using Chunk = std::vector<PartitionKey>;

    /// The chunk that `key` is in or belongs into: the first whose last key is not below it, or the
    /// last one.
    std::size_t chunk_of(const PartitionKey& key) const;

    std::vector<Chunk> chunks_;  ///< none is empty
    std::size_t size_ = 0;
};

class PartitionKeys::Iterator {
public:
    using value_type = PartitionKey;
    using reference = const PartitionKey&;
    using pointer = const PartitionKey*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    Iterator() = default;
    reference operator*() const { return (*chunks_)[chunk_][position_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
        if (++position_ == (*chunks_)[chunk_].size()) {
            ++chunk_;
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
    friend class PartitionKeys;
    Iterator(const std::vector<Chunk>* chunks, std::size_t chunk)
        : chunks_(chunks), chunk_(chunk) {}

    const std::vector<Chunk>* chunks_ = nullptr;
    std::size_t chunk_ = 0;
    std::size_t position_ = 0;
};

inline PartitionKeys::Iterator PartitionKeys::begin() const {
    return {&chunks_, 0};
}
inline PartitionKeys::Iterator PartitionKeys::end() const {
    return {&chunks_, chunks_.size()};
}

}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// Sorted runs: found by halving, cut in two when they are full.
#include "partition_keys.h"

#include <algorithm>

namespace milena::controller {

std::size_t PartitionKeys::chunk_of(const PartitionKey& key) const {
    const auto at = std::ranges::partition_point(
        chunks_, [&](const Chunk& chunk) { return chunk.back() < key; });
    const auto index = static_cast<std::size_t>(at - chunks_.begin());
    return index < chunks_.size() || index == 0 ? index : index - 1;
}

bool PartitionKeys::contains(const PartitionKey& key) const {
    return !empty() && std::ranges::binary_search(chunks_[chunk_of(key)], key);
}

bool PartitionKeys::insert(const PartitionKey& key) {
    if (chunks_.empty()) {
        chunks_.push_back({key});
        size_ = 1;
        return true;
    }
    const std::size_t index = chunk_of(key);
    Chunk& chunk = chunks_[index];
    const auto at = std::ranges::lower_bound(chunk, key);
    if (at != chunk.end() && *at == key) return false;
    chunk.insert(at, key);
    ++size_;
    if (chunk.size() < kChunkMax) return true;
    const auto middle = chunk.begin() + kChunkMax / 2;
    Chunk high(middle, chunk.end());
    chunk.erase(middle, chunk.end());
    chunk.shrink_to_fit();
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(high));
    return true;
}

bool PartitionKeys::erase(const PartitionKey& key) {
    if (empty()) return false;
    const std::size_t index = chunk_of(key);
    Chunk& chunk = chunks_[index];
    const auto at = std::ranges::lower_bound(chunk, key);
    if (at == chunk.end() || *at != key) return false;
    chunk.erase(at);
    --size_;
    if (chunk.empty()) chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(index));
    return true;
}

bool PartitionKeys::operator==(const PartitionKeys& other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
}

}  // namespace milena::controller

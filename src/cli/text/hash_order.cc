// SPDX-License-Identifier: Apache-2.0
// A HashMap's table has a power of two of buckets, is doubled when it is three quarters full, and
// is walked bucket by bucket; keys of one bucket keep the order in which they came.
#include "text/hash_order.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace milena::cli {
namespace {

std::vector<std::int32_t> hashes_of(const std::vector<std::string_view>& keys) {
    std::vector<std::int32_t> hashes;
    for (const std::string_view key : keys) hashes.push_back(java_hash(key));
    return hashes;
}

}  // namespace

std::int32_t java_hash(std::string_view text) {
    std::uint32_t hash = 0;
    for (const char c : text) hash = hash * 31 + static_cast<unsigned char>(c);
    return static_cast<std::int32_t>(hash);
}

std::int32_t java_hash(std::string_view topic, std::int32_t partition) {
    const std::uint32_t number = 31 + static_cast<std::uint32_t>(partition);
    return static_cast<std::int32_t>(number * 31 + static_cast<std::uint32_t>(java_hash(topic)));
}

std::vector<std::size_t> hash_order(const std::vector<std::int32_t>& hashes,
                                    std::size_t initial_capacity) {
    std::size_t buckets = std::bit_ceil(std::max<std::size_t>(initial_capacity, 1));
    while (hashes.size() > buckets / 4 * 3 + buckets % 4 * 3 / 4) buckets *= 2;
    const auto place_of = [&](std::size_t index) {
        const auto hash = static_cast<std::uint32_t>(hashes[index]);
        return std::pair((hash ^ (hash >> 16)) & (buckets - 1), index);
    };
    std::vector<std::size_t> order(hashes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, place_of);
    return order;
}

std::vector<std::size_t> hash_order(const std::vector<std::string_view>& keys) {
    return hash_order(hashes_of(keys), keys.size());
}

std::vector<std::size_t> default_hash_order(const std::vector<std::string_view>& keys) {
    return hash_order(hashes_of(keys), kHashMapCapacity);
}

}  // namespace milena::cli

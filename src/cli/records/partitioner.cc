// SPDX-License-Identifier: Apache-2.0
// Murmur2, 32 bits.
#include "records/partitioner.h"

namespace milena::cli {

std::uint32_t murmur2(BytesView bytes) {
    constexpr std::uint32_t kSeed = 0x9747b28c;
    constexpr std::uint32_t kFactor = 0x5bd1e995;
    const auto byte = [&bytes](std::size_t at) { return static_cast<std::uint32_t>(bytes[at]); };
    std::uint32_t hash = kSeed ^ static_cast<std::uint32_t>(bytes.size());
    std::size_t at = 0;
    for (; at + 4 <= bytes.size(); at += 4) {
        std::uint32_t word = byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24;
        word *= kFactor;
        word ^= word >> 24;
        word *= kFactor;
        hash *= kFactor;
        hash ^= word;
    }
    const std::size_t left = bytes.size() - at;
    if (left >= 3) hash ^= byte(at + 2) << 16;
    if (left >= 2) hash ^= byte(at + 1) << 8;
    if (left >= 1) hash = (hash ^ byte(at)) * kFactor;
    hash ^= hash >> 13;
    hash *= kFactor;
    return hash ^ hash >> 15;
}

std::int32_t partition_of_key(BytesView key, std::size_t partitions) {
    return static_cast<std::int32_t>((murmur2(key) & 0x7FFFFFFF) % partitions);
}

}  // namespace milena::cli

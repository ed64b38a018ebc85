// SPDX-License-Identifier: Apache-2.0
// Kafka's tools print some lists in the order of a Java HashMap, which depends on nothing but the
// keys, the order they came in and the size the map was made with: so it can be had here too.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace milena::cli {

/// The size of a `new HashMap<>()`.
inline constexpr std::size_t kHashMapCapacity = 16;

/// String.hashCode(), of a text whose characters are ASCII.
std::int32_t java_hash(std::string_view text);
/// That of a TopicPartition.
std::int32_t java_hash(std::string_view topic, std::int32_t partition);

/// The order in which a map gives keys that were put in as listed: indexes into `hashes`, which is
/// that of a `new HashMap<>(keys.size())` for keys. A number's hash is the number.
std::vector<std::size_t> hash_order(const std::vector<std::int32_t>& hashes,
                                    std::size_t initial_capacity);
std::vector<std::size_t> hash_order(const std::vector<std::string_view>& keys);

/// The order of a `new HashMap<>()`.
std::vector<std::size_t> default_hash_order(const std::vector<std::string_view>& keys);

}  // namespace milena::cli

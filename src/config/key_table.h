// SPDX-License-Identifier: Apache-2.0
// The vocabulary of the rows in the tables of keys, and the tables for those who search them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "milena/config/keys.h"

namespace milena::config {

inline constexpr std::optional<std::string_view> kNull = std::nullopt;
inline constexpr Allowed kAny{};
/// 1 to 9, or −1 for the library's own.
inline constexpr Allowed kGzipLevel{.min = -1, .max = 9, .except = 0};

consteval Allowed at_least(std::int64_t min) {
    return {.min = min};
}
consteval Allowed between(std::int64_t min, std::int64_t max) {
    return {.min = min, .max = max};
}
consteval Allowed one_of(std::string_view words) {
    return {.words = words};
}
consteval Allowed any_case(std::string_view words) {
    return {.words = words, .any_case = true};
}

/// Each in the order of its names.
std::span<const Key> read_keys();
std::span<const Key> unread_keys();
std::span<const Key> security_keys();

}  // namespace milena::config

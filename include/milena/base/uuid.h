// SPDX-License-Identifier: Apache-2.0
// 128-bit ids as Kafka uses them for topics, directories, incarnations and clusters: 16 bytes
// big-endian on the wire and on disk, url-safe base64 without padding (22 characters) in text.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace milena {

struct Uuid {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    constexpr auto operator<=>(const Uuid&) const = default;
    constexpr bool is_zero() const { return high == 0 && low == 0; }

    /// 22 characters of url-safe base64.
    std::string text() const;
    /// The inverse of text(): nothing if `text` is not 22 such characters of a whole 16 bytes.
    static std::optional<Uuid> parse(std::string_view text);
    /// A version 4 (random) id from 128 random bits, drawn again by the caller while is_reserved().
    static constexpr Uuid from_random(std::uint64_t a, std::uint64_t b) {
        return {(a & ~0xF000ULL) | 0x4000ULL,
                (b & 0x3FFF'FFFF'FFFF'FFFFULL) | 0x8000'0000'0000'0000ULL};
    }
    /// Ids that Kafka never draws: the first hundred (directory ids with a meaning, KIP-858), and
    /// those whose text begins with a dash, which command lines would take for a flag.
    bool is_reserved() const;
};

/// Topic id of __cluster_metadata (KIP-595).
inline constexpr Uuid kMetadataTopicId{0, 1};

}  // namespace milena

template <>
struct std::hash<milena::Uuid> {
    std::size_t operator()(const milena::Uuid& id) const noexcept {
        return id.high ^ (id.low * 0x9E3779B97F4A7C15ULL);
    }
};

template <>
struct fmt::formatter<milena::Uuid> : fmt::formatter<std::string> {
    auto format(const milena::Uuid& id, fmt::format_context& context) const {
        return fmt::formatter<std::string>::format(id.text(), context);
    }
};

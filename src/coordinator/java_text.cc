// SPDX-License-Identifier: Apache-2.0
// UTF-8 to UTF-16 units, their number and their sum with powers of 31.
#include "java_text.h"

#include <array>
#include <cstddef>

namespace milena::coordinator {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

struct Character {
    std::uint32_t code = kReplacement;
    std::size_t bytes = 1;
};

/// How many bytes a character has that begins with this one; 0 if none does.
std::size_t length_from(std::uint8_t first) {
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return 2;
    if (first >= 0xE0 && first < 0xF0) return 3;
    if (first >= 0xF0 && first < 0xF5) return 4;
    return 0;
}

bool is_overlong_or_reserved(std::uint32_t code, std::size_t bytes) {
    constexpr std::array<std::uint32_t, 5> kLowest{0, 0, 0x80, 0x800, 0x10000};
    return code < kLowest[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000);
}

/// The character at the front of text that is not empty.
Character first_character(std::string_view text) {
    const auto first = static_cast<std::uint8_t>(text[0]);
    const std::size_t bytes = length_from(first);
    if (bytes == 1) return {first, 1};
    if (bytes == 0 || bytes > text.size()) return {};
    std::uint32_t code = first & (0xFFU >> (bytes + 1));
    for (const char next : text.substr(1, bytes - 1)) {
        if ((static_cast<std::uint8_t>(next) & 0xC0) != 0x80) return {};
        code = (code << 6) | (static_cast<std::uint8_t>(next) & 0x3F);
    }
    return is_overlong_or_reserved(code, bytes) ? Character{} : Character{code, bytes};
}

/// Each UTF-16 unit of the text, in order.
template <class Use>
void for_each_unit(std::string_view text, Use use) {
    while (!text.empty()) {
        const Character next = first_character(text);
        text.remove_prefix(next.bytes);
        if (next.code < 0x10000) {
            use(next.code);
        } else {
            use(0xD800 + ((next.code - 0x10000) >> 10));
            use(0xDC00 + (next.code & 0x3FF));
        }
    }
}

}  // namespace

std::int32_t java_hash(std::string_view text) {
    std::uint32_t hash = 0;
    for_each_unit(text, [&](std::uint32_t unit) { hash = 31 * hash + unit; });
    return static_cast<std::int32_t>(hash);
}

std::size_t java_length(std::string_view text) {
    std::size_t units = 0;
    for_each_unit(text, [&](std::uint32_t) { ++units; });
    return units;
}

std::u16string java_units(std::string_view text) {
    std::u16string units;
    for_each_unit(text, [&](std::uint32_t unit) { units.push_back(static_cast<char16_t>(unit)); });
    return units;
}

}  // namespace milena::coordinator

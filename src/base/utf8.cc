// SPDX-License-Identifier: Apache-2.0
// The first byte says how long a sequence is; the second may not make it a longer form of a shorter
// one.
#include "milena/base/utf8.h"

#include <cstdint>

namespace milena {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
    return static_cast<std::uint8_t>(text[at]);
}

}  // namespace

std::size_t utf8_sequence(std::string_view text) {
    const std::uint8_t lead = byte_at(text, 0);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
    }
    if (length < 3) return length;
    const std::uint8_t second = byte_at(text, 1);
    const bool bad = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                     (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return bad ? 0 : length;
}

}  // namespace milena

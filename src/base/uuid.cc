// SPDX-License-Identifier: Apache-2.0
// Ids to url-safe base64 and back.
#include "milena/base/uuid.h"

namespace milena {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int kTextLength = 22;

}  // namespace

std::string Uuid::text() const {
    // 128 bits and four zero bits are 22 digits of six bits.
    const auto bits = static_cast<unsigned __int128>(high) << 64 | low;
    std::string out(kTextLength, 'A');
    out[kTextLength - 1] = kAlphabet[static_cast<std::size_t>(low << 4 & 0x3F)];
    for (int digit = 0; digit < kTextLength - 1; ++digit) {
        out[static_cast<std::size_t>(digit)] =
            kAlphabet[static_cast<std::size_t>(bits >> (122 - 6 * digit) & 0x3F)];
    }
    return out;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
    if (text.size() != kTextLength) return std::nullopt;
    unsigned __int128 bits = 0;
    for (int digit = 0; digit < kTextLength; ++digit) {
        const auto value = kAlphabet.find(text[static_cast<std::size_t>(digit)]);
        if (value == std::string_view::npos) return std::nullopt;
        if (digit < kTextLength - 1) {
            bits = bits << 6 | value;
        } else if ((value & 0xF) != 0) {
            return std::nullopt;  // bits beyond the sixteenth byte
        } else {
            bits = bits << 2 | value >> 4;
        }
    }
    return Uuid{static_cast<std::uint64_t>(bits >> 64), static_cast<std::uint64_t>(bits)};
}

bool Uuid::is_reserved() const {
    return (high == 0 && low < 100) || kAlphabet[high >> 58] == '-';
}

}  // namespace milena

// SPDX-License-Identifier: Apache-2.0
// A sequence that breaks off is replaced once, as far as it was right; a byte that begins none is
// replaced by itself.
#include "text/utf8.h"

namespace milena::cli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// What may follow a lead byte: how many bytes, and the bounds of the first of them (which leave
/// out overlong forms, surrogates and what is above U+10FFFF).
struct Lead {
    std::size_t following = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
};

Lead lead_of(unsigned char byte) {
    if (byte >= 0xC2 && byte <= 0xDF) return {1};
    if (byte == 0xE0) return {2, 0xA0, 0xBF};
    if (byte == 0xED) return {2, 0x80, 0x9F};
    if (byte >= 0xE1 && byte <= 0xEF) return {2};
    if (byte == 0xF0) return {3, 0x90, 0xBF};
    if (byte >= 0xF1 && byte <= 0xF3) return {3};
    if (byte == 0xF4) return {3, 0x80, 0x8F};
    return {};
}

}  // namespace

std::string utf8_text(BytesView bytes) {
    const std::string_view from = as_text(bytes);
    std::string text;
    for (std::size_t at = 0; at < from.size();) {
        const auto byte = static_cast<unsigned char>(from[at]);
        if (byte < 0x80) {
            text += from[at++];
            continue;
        }
        Lead lead = lead_of(byte);
        std::size_t have = 1;
        while (have <= lead.following && at + have < from.size()) {
            const auto next = static_cast<unsigned char>(from[at + have]);
            if (next < lead.low || next > lead.high) break;
            lead.low = 0x80;
            lead.high = 0xBF;
            ++have;
        }
        const bool is_whole = lead.following != 0 && have == lead.following + 1;
        text += is_whole ? from.substr(at, have) : kReplacement;
        at += have;
    }
    return text;
}

}  // namespace milena::cli

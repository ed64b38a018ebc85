// SPDX-License-Identifier: Apache-2.0
// Cuts before the first byte of the character that does not fit. What is no UTF-8 is cut anywhere.
#include "error_text.h"

#include "milena/protocol/codec.h"

namespace milena::server {

static bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::string_view error_text(std::string_view text) {
    constexpr std::size_t kContinuationsMax = 3;
    if (text.size() <= protocol::kStringBytesMax) return text;
    std::size_t end = protocol::kStringBytesMax;
    while (end > protocol::kStringBytesMax - kContinuationsMax && is_continuation(text[end])) --end;
    if (is_continuation(text[end])) end = protocol::kStringBytesMax;
    return text.substr(0, end);
}

}  // namespace milena::server

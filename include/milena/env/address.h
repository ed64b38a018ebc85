// SPDX-License-Identifier: Apache-2.0
// IP addresses as the bytes that messages carry.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/bytes.h"

namespace milena::env {

/// 4 bytes of an IPv4 address, also of one that is written as IPv6, or 16 bytes; nothing if `text`
/// is no address.
std::optional<std::vector<std::byte>> address_bytes(std::string_view text);
/// The text of 4 or 16 bytes; nothing if there are not as many.
std::optional<std::string> address_text(BytesView bytes);

}  // namespace milena::env

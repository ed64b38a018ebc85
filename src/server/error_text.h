// SPDX-License-Identifier: Apache-2.0
// What an answer says of an error. Texts name what the client sent, which may be as long as a
// string may be by itself: the whole could be longer, and the answer not be written.
#pragma once

#include <string_view>

namespace milena::server {

/// As much of `text` as a string may hold; no character of UTF-8 is cut in two.
std::string_view error_text(std::string_view text);

}  // namespace milena::server

// SPDX-License-Identifier: Apache-2.0
// The small parts of JSON text. All of them append to `out`.
#pragma once

#include <string>
#include <string_view>

#include "milena/base/bytes.h"

namespace milena::protocol {

/// The name of a schema's field as JSON spells it: with a small first letter. No quotes.
void append_json_name(std::string_view field, std::string& out);
/// A quoted string. What is not valid UTF-8 becomes U+FFFD, control characters are escaped.
void append_json_string(std::string_view text, std::string& out);
/// Quoted base64 with padding (RFC 4648).
void append_json_base64(BytesView bytes, std::string& out);
/// A number as Java writes a double: "1048576.0", and from ten million on "1.048576E7".
void append_json_double(double number, std::string& out);

}  // namespace milena::protocol

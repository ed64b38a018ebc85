// SPDX-License-Identifier: Apache-2.0
// Bytes as the text that Java makes of them.
#pragma once

#include <string>

#include "milena/base/bytes.h"

namespace milena::cli {

/// The bytes as UTF-8, with U+FFFD for each part that is none, as `new String(bytes, UTF_8)` has
/// it.
std::string utf8_text(BytesView bytes);

}  // namespace milena::cli

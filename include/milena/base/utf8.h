// SPDX-License-Identifier: Apache-2.0
// UTF-8 as strict readers want it: what a peer has sent may be anything.
#pragma once

#include <cstddef>
#include <string_view>

namespace milena {

/// Length of the valid sequence at the front of `text`, which is not empty; 0 if there is none: no
/// overlong forms, surrogates, or code points beyond U+10FFFF.
std::size_t utf8_sequence(std::string_view text);

}  // namespace milena

// SPDX-License-Identifier: Apache-2.0
// Which names a topic may have: asked by the controller that makes it, and by a broker that is
// asked for one that nobody has made.
#pragma once

#include <cstddef>
#include <string_view>

#include "milena/base/result.h"

namespace milena::controller {

inline constexpr std::size_t kTopicNameBytesMax = 249;

/// INVALID_TOPIC_EXCEPTION with a reason for the client, unless the name has 1 to 249 characters of
/// [a-zA-Z0-9._-] and is neither "." nor "..".
Result<void> check_topic_name(std::string_view name);

}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// Which names a topic may have.
#pragma once

#include <string_view>

#include "view.h"

namespace milena::controller {

/// INVALID_TOPIC_EXCEPTION with a reason for the client, unless the name has 1 to 249 characters of [a-zA-Z0-9._-] and
/// is neither "." nor "..".
Result<void> check_topic_name(std::string_view name);

/// INVALID_TOPIC_EXCEPTION if an existing topic's name differs only in dots against underscores: the names of metrics
/// do not tell them apart.
Result<void> check_no_collision(const metadata::TopicsImage& topics, std::string_view name);

}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// Which names a topic may have beside those that are there.
#pragma once

#include <string_view>

#include "milena/controller/topic_names.h"
#include "view.h"

namespace milena::controller {

/// INVALID_TOPIC_EXCEPTION if an existing topic's name differs only in dots against underscores:
/// the names of metrics do not tell them apart.
Result<void> check_no_collision(const metadata::TopicsImage& topics, std::string_view name);

}  // namespace milena::controller

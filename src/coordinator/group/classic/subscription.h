// SPDX-License-Identifier: Apache-2.0
// What consumers say of themselves when they join (type "consumer"): a version and, in all
// versions first, the topics that they subscribe to.
#pragma once

#include <set>
#include <string>

#include "milena/base/bytes.h"

namespace milena::coordinator {

/// Adds the topics of one subscription. False if it can't be read; some may have been added.
bool read_subscription(BytesView metadata, std::set<std::string>& topics);

}  // namespace milena::coordinator

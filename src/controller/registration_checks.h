// SPDX-License-Identifier: Apache-2.0
// What a broker or controller that registers must bring.
#pragma once

#include "view.h"

namespace milena::controller {

/// UNSUPPORTED_VERSION if a finalized feature has a level that the node can't do.
Result<void> check_features(const View& view, const std::map<std::string, metadata::VersionRange>& features);

/// INVALID_REGISTRATION if there are none, one is named twice or has a reserved id, or another broker has it (KIP-858).
Result<void> check_log_directories(const View& view, BrokerId broker, const std::vector<Uuid>& directories);

}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// The finalized levels of features (KIP-584, KIP-778): what all nodes do alike.
#pragma once

#include "view.h"

namespace milena::controller {

/// All updates or none. INVALID_UPDATE_VERSION with the reason of the first that can't be made.
Decision<Result<void>> update_features(const View& view, const UpdateFeaturesRequest& request,
                                       std::int16_t kraft_version);

}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// Elections that nobody asks for: leadership goes back to the preferred replicas, and where loss is
// allowed partitions without a leader get one. Each looks only at the partitions that are not as
// they should be.
#pragma once

#include "view.h"

namespace milena::controller {

/// Elections of one round; the next follows at once.
inline constexpr std::size_t kElectionsMax = 1'000;

/// Partitions that their preferred replica does not lead, and can.
Records balance_leaders(const View& view);

/// Partitions without a leader whose topic allows one that may lack records.
Records elect_uncleanly(const View& view);

}  // namespace milena::controller

// SPDX-License-Identifier: Apache-2.0
// How far generations and epochs of groups go. They begin at 1 and grow by one with each rebalance,
// so no group comes near the end; a record that says so is not one that a coordinator has written.
#pragma once

#include <cstdint>

namespace milena::coordinator {

/// A group that is loaded at this one has room for a million rebalances more.
inline constexpr std::int32_t kLoadedEpochMax = INT32_MAX - 1'000'000;

}  // namespace milena::coordinator

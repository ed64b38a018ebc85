// SPDX-License-Identifier: Apache-2.0
// Counts what the calling thread takes from the heap, by whatever call: how "no allocation in the
// steady state" is held.
#pragma once

#include <cstdint>

namespace milena::env {

/// Allocations that this thread has made since it began.
std::uint64_t allocations_of_this_thread();

}  // namespace milena::env

// SPDX-License-Identifier: Apache-2.0
// The lines of all servers of a world in one stream, each with the virtual time: a run to read.
#pragma once

#include "milena/base/logger.h"
#include "sim/world.h"

namespace milena::sim {

/// Writes on standard output; not to be used when the world is gone.
std::shared_ptr<LogSink> make_story(const World& world);

}  // namespace milena::sim

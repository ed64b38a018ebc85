// SPDX-License-Identifier: Apache-2.0
// Does anybody listen where a broker is registered?
#pragma once

#include <vector>

#include "milena/env/env.h"
#include "milena/metadata/image.h"

namespace milena::drivers {

/// True if every endpoint refuses a connection: no process listens at any of them. A connection
/// that is made, that takes longer than a second, or fails in another way, says nothing, and so
/// does a broker without endpoints. On the control thread.
env::Task<bool> refuses_everywhere(env::Env& env, std::vector<metadata::BrokerEndpoint> endpoints);

}  // namespace milena::drivers

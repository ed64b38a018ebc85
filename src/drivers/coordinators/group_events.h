// SPDX-License-Identifier: Apache-2.0
// What has happened to groups, counted and written to the log. Clients cause it, so there are no
// more lines than Host::lines lets through.
#pragma once

#include <span>

#include "host.h"

namespace milena::drivers {

/// Of a decision whose records are in the log. From any thread, without a guard.
void tell(Host& host, std::span<const coordinator::GroupEvent> events);

}  // namespace milena::drivers

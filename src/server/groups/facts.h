// SPDX-License-Identifier: Apache-2.0
// What Milena tells of a group to its own tools, as the bytes of a tagged field.
#pragma once

#include <functional>

#include "milena/coordinator/group_events.h"
#include "milena/protocol/arena.h"

namespace milena::server {

/// In the arena; without topics that the client may not see.
BytesView facts_blob(protocol::Arena& arena, const coordinator::GroupFacts& facts,
                     const std::function<bool(std::string_view topic)>& may_see);

}  // namespace milena::server

// SPDX-License-Identifier: Apache-2.0
// The generated sources each know their own message types; the generated table of them is joined in
// message_type.cc.
#pragma once

#include <span>
#include <vector>

#include "milena/protocol/message_type.h"

namespace milena::protocol {

std::vector<std::span<const MessageType* const>> message_type_groups();

}  // namespace milena::protocol

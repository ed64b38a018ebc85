// SPDX-License-Identifier: Apache-2.0
// Fills a message from the JSON that to_json() prints: the way back, which only tests need.
#pragma once

#include <string>

#include "milena/protocol/message_type.h"

namespace milena::protocol {

/// A message of `type` in `arena` with the values of `json`. A field of the version that the JSON
/// lacks keeps its default if it is tagged and fails the test otherwise; so does a key that the
/// version does not have.
void* read_json(const MessageType& type, std::int16_t version, const std::string& json,
                Arena& arena);

}  // namespace milena::protocol

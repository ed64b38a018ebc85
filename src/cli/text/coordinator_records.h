// SPDX-License-Identifier: Apache-2.0
// Records of the topics that coordinators write, as JSON: tools print them. Their key begins with a
// type, their value with a version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "milena/protocol/message_type.h"

namespace milena::cli {

/// Whose topic: __consumer_offsets, __transaction_state, __share_group_state.
enum class Coordinator { group, transaction, share };

/// What the first two bytes of a key or value say; nothing if there are not two.
std::optional<std::int16_t> leading_number(BytesView bytes);

/// The key or the value of records of `type`; null if this coordinator has no such records.
const protocol::MessageType* coordinator_message(Coordinator coordinator,
                                                 protocol::MessageKind kind, std::int16_t type);

/// The JSON of what follows a key's type, or a value's version.
Result<std::string> coordinator_json(const protocol::MessageType& type, BytesView bytes,
                                     std::int16_t version);

/// A value with what is inside it made readable, as kafka-dump-log has it: subscriptions and
/// assignments of classic consumers, and the name of a transaction's state.
Result<std::string> readable_value_json(const protocol::MessageType& type, BytesView bytes,
                                        std::int16_t version);

}  // namespace milena::cli

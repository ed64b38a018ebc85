// SPDX-License-Identifier: Apache-2.0
// How the state of all spaces lies in one ordered map of bytes:
//
//   topic id, 16 bytes | partition, i32 | 0               applied i64, epoch i32, written i64
//   topic id, 16 bytes | partition, i32 | 1 | record key  record value
//
// Integers are big-endian. So the keys of a space are neighbours, its position comes first, and a
// space without a position is empty.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "milena/storage/state_store.h"

namespace milena::storage {

/// Begins every key of the space and no other.
std::string space_prefix(const StateSpace& space);
std::string position_key(const StateSpace& space);
std::string record_key(const StateSpace& space, BytesView key);
/// What a record_key() was made of.
BytesView key_of_record(std::string_view record_key);
/// Whose position lies there; nothing for another key.
std::optional<StateSpace> space_of_position(std::string_view key);

/// The first of all byte strings that come after every one that begins with `prefix`, which has a
/// byte below 255.
std::string after_prefix(std::string prefix);

std::string encode_position(const StatePosition& position);
std::optional<StatePosition> decode_position(std::string_view bytes);

}  // namespace milena::storage

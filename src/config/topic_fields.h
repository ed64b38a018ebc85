// SPDX-License-Identifier: Apache-2.0
// Which field of TopicConfig holds the value of which key.
#pragma once

#include <string_view>

#include "milena/config/keys.h"
#include "milena/config/settings.h"
#include "milena/config/topic_config.h"

namespace milena::config {

/// Sets the field of `name`, a topic key, to a value that its row allows. A key without a field
/// (its row says `not_yet`) changes nothing.
void set_topic_field(TopicConfig& config, std::string_view name, const Value& value);

/// True if set_topic_field() has somewhere to put the value of `name`.
bool has_topic_field(std::string_view name);

/// A broker key's number in the unit of the topic key; −1 (no limit) stays what it is.
Value in_unit(Value value, Unit unit);

}  // namespace milena::config

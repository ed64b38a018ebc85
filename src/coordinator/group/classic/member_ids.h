// SPDX-License-Identifier: Apache-2.0
// Ids of members of classic groups: a name, a dash and a UUID. Those of static members say when
// they were given (UUID version 7), each later than the one that it replaces: of two processes of
// an instance the later one is known even by a coordinator that has heard of the earlier alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "milena/base/uuid.h"

namespace milena::coordinator {

/// A dash and a UUID, which follow the name.
inline constexpr std::size_t kMemberIdSuffixBytes = 37;

std::string member_id(std::string_view name, Uuid random);
/// Of a static member: now, or after `before`, the id that it replaces; empty: none.
std::string static_member_id(std::string_view instance_id, Uuid random, std::int64_t now_ms,
                             std::string_view before);

/// Both say when they were given, and the first one later. Ids that Kafka has given say nothing.
bool is_given_after(std::string_view member_id, std::string_view other);

}  // namespace milena::coordinator

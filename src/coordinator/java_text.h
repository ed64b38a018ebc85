// SPDX-License-Identifier: Apache-2.0
// What java.lang.String says of a text, where Kafka makes it a rule: hashCode, on which it depends
// where a group or a transaction is kept, and length, by which limits are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace milena::coordinator {

/// Of UTF-8. It is counted in UTF-16 units, as Java does: a character beyond the basic plane is
/// two. Bytes that are no UTF-8 count as U+FFFD, one for each.
std::int32_t java_hash(std::string_view text);
/// The number of these units.
std::size_t java_length(std::string_view text);
/// The units themselves.
std::u16string java_units(std::string_view text);

}  // namespace milena::coordinator

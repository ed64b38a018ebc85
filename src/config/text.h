// SPDX-License-Identifier: Apache-2.0
// Small work on text that the readers of configuration share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace milena::config {

bool is_utf8(std::string_view text);
std::string latin1_to_utf8(std::string_view text);
void append_utf8(std::string& out, char32_t point);

/// Without white space at both ends.
std::string_view trimmed(std::string_view text);
/// The trimmed parts between separators; a text of white space has none.
std::vector<std::string_view> split(std::string_view text, char separator);
/// ASCII letters only; the rest as it is.
std::string upper(std::string_view text);
bool equal_in_any_case(std::string_view a, std::string_view b);

/// How many letters must be put in, taken out or changed to make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace milena::config

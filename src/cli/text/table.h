// SPDX-License-Identifier: Apache-2.0
// Tables as Kafka's tools align them.
#pragma once

#include <string>
#include <vector>

namespace milena::cli {

/// Each cell filled with spaces to the widest of its column, and a tab after it.
std::string tab_table(const std::vector<std::vector<std::string>>& rows);

/// Cells filled to `widths`, with one space between them.
std::string space_table(const std::vector<std::vector<std::string>>& rows,
                        const std::vector<std::size_t>& widths);

/// `text` as a JSON string, quotes and all.
std::string json_string(std::string_view text);

}  // namespace milena::cli

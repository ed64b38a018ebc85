// SPDX-License-Identifier: Apache-2.0
// Aligned columns, and JSON's strings.
#include "text/table.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace milena::cli {

std::string tab_table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += row[i];
            text.append(widths[i] - row[i].size(), ' ');
            text += '\t';
        }
        text += '\n';
    }
    return text;
}

std::string space_table(const std::vector<std::vector<std::string>>& rows,
                        const std::vector<std::size_t>& widths) {
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i != 0) text += ' ';
            text += row[i];
            const std::size_t width = i < widths.size() ? widths[i] : 0;
            if (row[i].size() < width) text.append(width - row[i].size(), ' ');
        }
        text += '\n';
    }
    return text;
}

std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// Two columns.
#include "perf/metric_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace milena::cli {

std::string metric_table(std::vector<ClientMetric> metrics, std::string_view client_id) {
    std::vector<std::pair<std::string, double>> rows;
    std::size_t width = 0;
    for (const auto& [group, name, value] : metrics) {
        rows.emplace_back(fmt::format("{}:{}:{{client-id={}}}", group, name, client_id), value);
        width = std::max(width, rows.back().first.size());
    }
    std::ranges::sort(rows);
    std::string text = fmt::format("\n{:<{}}   {}\n", "Metric Name", width, "Value");
    for (const auto& [name, value] : rows)
        text += fmt::format("{:<{}} : {:.3f}\n", name, width, value);
    return text;
}

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// The table that --print-metrics of the performance tests prints, in the form of Kafka's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace milena::cli {

struct ClientMetric {
    std::string_view group;  ///< "producer-metrics"
    std::string_view name;
    double value = 0;
};

/// A header, and a line a metric in the order of the names, after an empty line.
std::string metric_table(std::vector<ClientMetric> metrics, std::string_view client_id);

}  // namespace milena::cli

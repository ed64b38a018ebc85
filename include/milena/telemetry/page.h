// SPDX-License-Identifier: Apache-2.0
// What a scrape is answered with: the text exposition format of Prometheus, version 0.0.4. The
// samples of one metric stand together however they were added.
//
//   # HELP name doc
//   # TYPE name counter|gauge
//   name{label="value",…} number
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "milena/telemetry/histogram.h"

namespace milena::telemetry {

enum class Kind { counter, gauge };

/// One row of a module's metrics: the name is the one that the usual JMX exporter rules give
/// Kafka's MBean.
struct Metric {
    std::string_view name;
    Kind kind;
    std::string_view doc;
};

/// Values may hold anything; they are escaped.
struct Label {
    std::string_view name;
    std::string_view value;
};

/// How a distribution's unit becomes the metric's: 1e-3 for microseconds told in milliseconds.
struct Scale {
    double factor = 1;
};

class Page {
public:
    void add(const Metric& metric, std::span<const Label> labels, double value);
    void add(const Metric& metric, double value) { add(metric, {}, value); }
    void add(const Metric& metric, std::initializer_list<Label> labels, double value) {
        add(metric, std::span(labels.begin(), labels.size()), value);
    }
    /// Quantiles 0.5, 0.75, 0.95, 0.98, 0.99 and 0.999 as a gauge with the label `quantile`, and
    /// the number of values as `name`_count.
    void add(const Metric& metric, std::initializer_list<Label> labels, const Distribution& values,
             Scale scale);

    /// Metrics in the order of their names.
    std::string text() const;

private:
    struct Family {
        const char* type = "gauge";
        std::string doc;
        std::string samples;
    };
    Family& family(std::string_view name, Kind kind, std::string_view doc);

    std::map<std::string, Family, std::less<>> families_;
};

}  // namespace milena::telemetry

// SPDX-License-Identifier: Apache-2.0
// Writes samples in Prometheus' text format.
#include "milena/telemetry/page.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "milena/base/utf8.h"

namespace milena::telemetry {
namespace {

struct Quantile {
    double share;
    std::string_view text;
};
constexpr Quantile kQuantiles[] = {{0.5, "0.50"},  {0.75, "0.75"}, {0.95, "0.95"},
                                   {0.98, "0.98"}, {0.99, "0.99"}, {0.999, "0.999"}};

/// A reader takes no page with a byte that is not UTF-8, whatever a client has called its group.
void append_escaped(std::string& out, std::string_view value) {
    constexpr std::string_view kReplacement = "\xef\xbf\xbd";
    while (!value.empty()) {
        const std::size_t length = utf8_sequence(value);
        const char first = value.front();
        if (first == '\\' || first == '"') out += '\\';
        if (first == '\n') {
            out += "\\n";
        } else {
            const bool is_control = static_cast<unsigned char>(first) < 0x20;
            out += length == 0 || is_control ? kReplacement : value.substr(0, length);
        }
        value.remove_prefix(std::max<std::size_t>(length, 1));
    }
}

/// Whole numbers without a point or exponent, as far as a double holds them exactly.
std::string number(double value) {
    constexpr double kExactMax = 9'007'199'254'740'992.0;
    if (std::trunc(value) == value && std::abs(value) < kExactMax)
        return fmt::format("{}", static_cast<std::int64_t>(value));
    return fmt::format("{}", value);
}

void append_sample(std::string& out, std::string_view name, std::span<const Label> labels,
                   double value) {
    out += name;
    char before = '{';
    for (const Label& label : labels) {
        out += before;
        out += label.name;
        out += "=\"";
        append_escaped(out, label.value);
        out += '"';
        before = ',';
    }
    if (!labels.empty()) out += '}';
    out += ' ';
    out += number(value);
    out += '\n';
}

}  // namespace

Page::Family& Page::family(std::string_view name, Kind kind, std::string_view doc) {
    auto found = families_.find(name);
    if (found == families_.end()) {
        found = families_.emplace(std::string(name), Family()).first;
        found->second.type = kind == Kind::counter ? "counter" : "gauge";
        found->second.doc = doc;
    }
    return found->second;
}

void Page::add(const Metric& metric, std::span<const Label> labels, double value) {
    append_sample(family(metric.name, metric.kind, metric.doc).samples, metric.name, labels, value);
}

void Page::add(const Metric& metric, std::initializer_list<Label> labels,
               const Distribution& values, Scale scale) {
    std::vector<Label> with_quantile(labels);
    with_quantile.push_back({"quantile", ""});
    Family& quantiles = family(metric.name, Kind::gauge, metric.doc);
    for (const Quantile& quantile : kQuantiles) {
        with_quantile.back().value = quantile.text;
        append_sample(quantiles.samples, metric.name, with_quantile,
                      static_cast<double>(values.quantile(quantile.share)) * scale.factor);
    }
    const std::string count = fmt::format("{}_count", metric.name);
    append_sample(family(count, Kind::counter, metric.doc).samples, count,
                  std::span(labels.begin(), labels.size()), static_cast<double>(values.count()));
}

std::string Page::text() const {
    std::string out;
    for (const auto& [name, family] : families_) {
        out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, family.doc, name, family.type);
        out += family.samples;
    }
    return out;
}

}  // namespace milena::telemetry

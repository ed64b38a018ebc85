// SPDX-License-Identifier: Apache-2.0
// Rules over topics and partitions.
#include "text/partition_filter.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::int64_t kPartitionsMax = std::numeric_limits<std::int32_t>::max();

std::optional<std::int64_t> number(std::string_view text, std::int64_t otherwise) {
    if (text.empty()) return otherwise;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

std::vector<std::string_view> split_commas(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        parts.push_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return parts;
}

}  // namespace

Result<PartitionFilter> PartitionFilter::of_rules(std::string_view text) {
    PartitionFilter filter;
    for (const std::string_view rule : split_commas(text)) {
        const std::size_t colon = rule.find(':');
        const std::string_view topic = rule.substr(0, colon);
        const std::string_view range =
            colon == std::string_view::npos ? std::string_view{} : rule.substr(colon + 1);
        const std::size_t dash = range.find('-');
        const auto from = number(range.substr(0, dash), 0);
        std::optional<std::int64_t> to = kPartitionsMax;
        if (dash != std::string_view::npos) {
            to = number(range.substr(dash + 1), kPartitionsMax);
        } else if (!range.empty()) {
            to = from.value_or(0) + 1;
        }
        if (!from || !to) return refuse(fmt::format("Invalid rule specification: {}", rule));
        TRY(auto pattern, TopicFilter::parse(topic.empty() ? ".*" : topic));
        filter.rules_.push_back({std::move(pattern), *from, *to});
    }
    return filter;
}

Result<PartitionFilter> PartitionFilter::of_topic(std::string_view topic,
                                                  std::string_view partitions) {
    PartitionFilter filter;
    TRY(const auto pattern, TopicFilter::parse(topic.empty() ? ".*" : topic));
    if (partitions.empty()) filter.rules_.push_back({pattern, 0, kPartitionsMax});
    for (const std::string_view one : split_commas(partitions)) {
        const auto partition = number(one, -1);
        if (!partition || *partition < 0) {
            return refuse(
                fmt::format("--partitions expects a comma separated list of numeric "
                            "partition ids, but received: {}",
                            partitions));
        }
        filter.rules_.push_back({pattern, *partition, *partition + 1});
    }
    return filter;
}

bool PartitionFilter::allows_topic(std::string_view topic) const {
    return std::ranges::any_of(rules_,
                               [topic](const Rule& rule) { return rule.topic.allows(topic); });
}

bool PartitionFilter::allows(std::string_view topic, std::int32_t partition) const {
    return std::ranges::any_of(rules_, [topic, partition](const Rule& rule) {
        return rule.from <= partition && partition < rule.to && rule.topic.allows(topic);
    });
}

}  // namespace milena::cli

// SPDX-License-Identifier: Apache-2.0
// Texts of reset-offsets.
#include "groups/reset_plan.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "text/exceptions.h"
#include "text/hash_order.h"

namespace milena::cli {
namespace {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

/// The fields of a line of CSV; quotes around one are taken off, and two in it are one.
std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields{""};
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
            fields.back() += line[++i];
        } else if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == ',' && !is_quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    return fields;
}

/// As Kafka's tool quotes: what is long, and what has a character that may mean something.
std::string quoted(const std::string& text) {
    constexpr std::size_t kPlainMax = 24;
    constexpr char kPlainFrom = '-';
    const bool is_plain =
        text.size() <= kPlainMax && std::ranges::all_of(text, [](char c) {
            return static_cast<unsigned char>(c) >= static_cast<unsigned char>(kPlainFrom);
        });
    if (is_plain) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
}

}  // namespace

Result<ResetScope> parse_scope(std::string_view text) {
    const std::size_t colon = text.find(':');
    ResetScope scope{.topic = std::string(text.substr(0, colon))};
    if (colon == std::string_view::npos) return scope;
    std::string_view rest = text.substr(colon + 1);
    do {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view one = rest.substr(0, comma);
        const auto partition = parse_number<std::int32_t>(one);
        if (!partition || *partition < 0) {
            return fail(
                ErrorCode::invalid_request,
                fmt::format("Invalid partition '{}' specified in topic arg '{}''", one, text));
        }
        scope.partitions.push_back(*partition);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    } while (!rest.empty());
    return scope;
}

Clamped clamp_offset(const TopicPartition& partition, std::int64_t wanted, std::int64_t earliest,
                     std::int64_t latest) {
    const auto warning = [&](std::string_view how, std::string_view than, std::int64_t limit) {
        return fmt::format(
            "New offset ({}) is {} than {} offset for topic partition {}. Value will be set to {}.",
            wanted, how, than, partition.text(), limit);
    };
    if (wanted < earliest) return {earliest, warning("lower", "earliest", earliest)};
    if (wanted > latest) return {latest, warning("higher", "latest", latest)};
    return {wanted, {}};
}

Result<NewOffsets> parse_csv(std::string_view text, bool with_group, const std::string& group) {
    NewOffsets offsets;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        const auto fields = fields_of(line);
        const std::size_t first = with_group ? 1 : 0;
        const std::size_t wanted = first + 3;
        const auto partition =
            fields.size() == wanted ? parse_number<std::int32_t>(fields[first + 1]) : std::nullopt;
        const auto offset =
            fields.size() == wanted ? parse_number<std::int64_t>(fields[first + 2]) : std::nullopt;
        if (!partition || !offset) {
            return refuse(fmt::format("line {} of the file is not {}topic,partition,offset: {}",
                                      number, with_group ? "group," : "", line));
        }
        offsets[with_group ? fields[0] : group][{fields[first], *partition}] = *offset;
    }
    return offsets;
}

std::string csv_of(const NewOffsets& offsets, bool with_group) {
    std::vector<std::string_view> groups;
    for (const auto& [group, partitions] : offsets) groups.push_back(group);
    std::string text;
    for (const std::size_t at : default_hash_order(groups)) {
        const std::string group(groups[at]);
        for (const auto& [partition, offset] : in_hash_order(offsets.at(group))) {
            if (with_group) text += quoted(group) + ",";
            text += fmt::format("{},{},{}\n", quoted(partition.topic), partition.partition, offset);
        }
    }
    return text + "\n";
}

}  // namespace milena::cli

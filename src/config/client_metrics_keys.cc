// SPDX-License-Identifier: Apache-2.0
// Subscriptions to the metrics of clients. Their patterns are regular expressions; here only their
// form is checked, with the mistakes that people make, in time that grows with their length.
#include <algorithm>

#include <fmt/format.h>

#include "contains.h"
#include "key_table.h"
#include "milena/config/resource_keys.h"
#include "text.h"

namespace milena::config {
namespace {

using enum ValueType;

constexpr std::string_view kInterval = "interval.ms";
constexpr std::string_view kMatch = "match";

// clang-format off
constexpr ResourceKey kKeys[] = {
    {kInterval, int32, "300000", kAny, {}, {}, {}, false, "How often clients push their metrics."},
    {kMatch, list, "", kAny, {}, {}, {}, false,
     "Which clients: attribute=pattern pairs, all of which must match; empty is all."},
    {"metrics", list, "", kAny, {}, {}, {}, false,
     "Prefixes of the names of the metrics to push; empty is none, * all."},
};
// clang-format on

constexpr std::string_view kAttributes[] = {"client_id",
                                            "client_instance_id",
                                            "client_software_name",
                                            "client_software_version",
                                            "client_source_address",
                                            "client_source_port"};

/// Where the class that begins at `at` ends; npos if it does not, or has a range backwards.
std::size_t end_of_class(std::string_view pattern, std::size_t at) {
    std::size_t i = at + 1;
    if (i < pattern.size() && pattern[i] == '^') ++i;
    for (const std::size_t first = i; i < pattern.size(); ++i) {
        if (pattern[i] == '\\') {
            ++i;
        } else if (pattern[i] == ']' && i > first) {
            return i;
        } else if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']' &&
                   pattern[i + 2] != '\\' && pattern[i] > pattern[i + 2]) {
            return std::string_view::npos;
        }
    }
    return std::string_view::npos;
}

/// A repetition {n}, {n,} or {n,m} at `at`; npos if it is none.
std::size_t end_of_repetition(std::string_view pattern, std::size_t at) {
    const auto end = pattern.find('}', at);
    if (end == std::string_view::npos || end == at + 1) return std::string_view::npos;
    const auto inside = pattern.substr(at + 1, end - at - 1);
    const bool is_one = inside.find_first_not_of("0123456789,") == std::string_view::npos &&
                        inside.front() != ',' && std::ranges::count(inside, ',') <= 1;
    return is_one ? end : std::string_view::npos;
}

bool is_pattern(std::string_view pattern) {
    constexpr std::string_view kEscaped = "dDwWsSbBAzZGQEnrtfaexuckhHvVRpPX0123456789";
    const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
    int open = 0;
    // What a repetition would be of: nothing, something, something repeated (?, + may follow).
    int before = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        if (c == '\\') {
            if (++i == pattern.size()) return false;
            if (is_letter(pattern[i]) && !kEscaped.contains(pattern[i])) return false;
            before = 1;
        } else if (c == '[') {
            i = end_of_class(pattern, i);
            if (i == std::string_view::npos) return false;
            before = 1;
        } else if (c == '(') {
            const auto rest = pattern.substr(i + 1);
            if (rest.starts_with("?=") || rest.starts_with("?!") || rest.starts_with("?<=") ||
                rest.starts_with("?<!"))
                return false;
            if (rest.starts_with('?')) ++i;
            ++open;
            before = 0;
        } else if (c == ')') {
            if (--open < 0) return false;
            before = 1;
        } else if (c == '*' || c == '+' || c == '?' || c == '{') {
            if (before == 0 || (before == 2 && (c == '*' || c == '{'))) return false;
            if (c == '{') i = end_of_repetition(pattern, i);
            if (i == std::string_view::npos) return false;
            before = 2;
        } else {
            before = c == '|' ? 0 : 1;
        }
    }
    return open == 0;
}

bool is_match(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || text.find('=', equals + 1) != std::string_view::npos)
        return false;
    return contains(kAttributes, trimmed(text.substr(0, equals))) &&
           is_pattern(trimmed(text.substr(equals + 1)));
}

}  // namespace

std::span<const ResourceKey> client_metrics_keys() {
    return kKeys;
}

Result<void> check_client_metrics_config(const ConfigMap& all) {
    constexpr std::int64_t kShortest = 100;
    constexpr std::int64_t kLongest = 3'600'000;
    for (const auto& [name, text] : all) {
        const auto* const key = std::ranges::find(kKeys, name, &ResourceKey::name);
        if (key == std::end(kKeys)) {
            return fail(ErrorCode::invalid_request,
                        fmt::format("Unknown client metrics configuration: {}", name));
        }
        TRY(const auto value, parse_client_value(name, key->type, key->allowed, text));
        if (name == kInterval) {
            const auto interval = std::get<std::int64_t>(value);
            if (interval >= kShortest && interval <= kLongest) continue;
            return fail(ErrorCode::invalid_request,
                        fmt::format("Invalid value {} for {}, interval must be between {} and {} "
                                    "(1 hour)",
                                    interval, name, kShortest, kLongest));
        }
        if (name != kMatch) continue;
        for (const auto& one : std::get<std::vector<std::string>>(value)) {
            if (is_match(one)) continue;
            return fail(ErrorCode::invalid_config,
                        fmt::format("Illegal client matching pattern: {}", one));
        }
    }
    return ok();
}

}  // namespace milena::config

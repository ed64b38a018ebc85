// SPDX-License-Identifier: Apache-2.0
// From the text of a value to the value, and the words for what a key allows.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "key_table.h"
#include "milena/base/invariant.h"
#include "text.h"

namespace milena::config {
namespace {

constexpr std::int64_t kNoMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kNoMax = std::numeric_limits<std::int64_t>::max();

std::string_view type_text(ValueType type) {
    switch (type) {
        case ValueType::boolean: return "true or false";
        case ValueType::int16: return "a whole number of 16 bits";
        case ValueType::int32: return "a whole number of 32 bits";
        case ValueType::int64: return "a whole number of 64 bits";
        case ValueType::float64: return "a number";
        default: return "a text";
    }
}

std::unexpected<Error> not_allowed(ValueType type, const Allowed& allowed) {
    const auto text = allowed.text();
    const bool is_text = type >= ValueType::string;
    if (text.empty() || is_text) {
        return fail(
            ErrorCode::invalid_config,
            fmt::format("allowed is {}", text.empty() ? std::string(type_text(type)) : text));
    }
    return fail(ErrorCode::invalid_config, fmt::format("allowed is {}, {}", type_text(type), text));
}

bool takes_word(const Allowed& allowed, std::string_view word) {
    if (allowed.words.empty()) return true;
    for (const auto one : split(allowed.words, '|')) {
        if (one == word || (allowed.any_case && equal_in_any_case(one, word))) return true;
    }
    return false;
}

/// The whole of `text` as a number; Java takes a plus sign before it, from_chars does not.
template <class T>
std::optional<T> number(std::string_view text) {
    if (text.starts_with('+') && !text.substr(1).starts_with('-')) text.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

template <class T>
Result<Value> integer(ValueType type, const Allowed& allowed, std::string_view text) {
    const auto value = number<T>(text);
    if (!value || *value < allowed.min || *value > allowed.max || *value == allowed.except) {
        return not_allowed(type, allowed);
    }
    return Value(std::int64_t{*value});
}

Result<Value> real(const Allowed& allowed, std::string_view text) {
    const auto value = number<double>(text);
    const bool good = value && std::isfinite(*value) &&
                      (allowed.min == kNoMin || *value >= static_cast<double>(allowed.min)) &&
                      (allowed.max == kNoMax || *value <= static_cast<double>(allowed.max));
    if (!good) return not_allowed(ValueType::float64, allowed);
    return Value(*value);
}

Result<Value> list(const Allowed& allowed, std::string_view text) {
    std::vector<std::string> items;
    for (const auto item : split(text, ',')) {
        if (!takes_word(allowed, item)) return not_allowed(ValueType::list, allowed);
        items.emplace_back(item);
    }
    return Value(std::move(items));
}

}  // namespace

std::string Allowed::text() const {
    std::string out;
    if (!words.empty()) {
        out = fmt::format("one of {}", fmt::join(split(words, '|'), ", "));
    } else if (min != kNoMin && max != kNoMax) {
        out = fmt::format("{} to {}", min, max);
    } else if (min != kNoMin) {
        out = fmt::format("{} or more", min);
    }
    if (except) out += fmt::format(" but not {}", *except);
    return out;
}

Result<Value> parse_value(ValueType type, const Allowed& allowed, std::string_view text) {
    text = trimmed(text);
    switch (type) {
        case ValueType::boolean:
            if (equal_in_any_case(text, "true")) return Value(true);
            if (equal_in_any_case(text, "false")) return Value(false);
            return not_allowed(type, allowed);
        case ValueType::int16: return integer<std::int16_t>(type, allowed, text);
        case ValueType::int32: return integer<std::int32_t>(type, allowed, text);
        case ValueType::int64: return integer<std::int64_t>(type, allowed, text);
        case ValueType::float64: return real(allowed, text);
        case ValueType::list: return list(allowed, text);
        case ValueType::string:
        case ValueType::class_name:
        case ValueType::password:
            if (!takes_word(allowed, text)) return not_allowed(type, allowed);
            return Value(std::string(text));
    }
    INVARIANT(false, "a type of value without a reader");
    std::unreachable();
}

}  // namespace milena::config
